import { expect, test } from 'vitest';
import { formatTime } from '../../format-time.ts';
import { Hour } from '../../time.ts';
import { createResponsePromise } from '../response-promise/response-promise.ts';
import { getAnswerBy } from './submission-state.ts';

const promise = createResponsePromise({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });

test('a formatted time names its time zone', () => {
  const time = new Date('2026-11-03T09:05:00Z');

  expect(formatTime(time, 'UTC')).toBe('Tuesday, November 3, 2026 at 9:05 AM UTC');
  expect(formatTime(time, 'Europe/Vienna')).toBe(
    'Tuesday, November 3, 2026 at 10:05 AM GMT+1 (Europe/Vienna)',
  );
  expect(formatTime(time, 'America/New_York', 'short')).toBe(
    'Tue, Nov 3, 2026, 4:05 AM EST (America/New_York)',
  );
});

test.each([
  // The clocks go forward on 29 March 2026 at 2:00, and back on 25 October at 3:00.
  ['2026-03-28T17:00:00Z', 'Saturday, March 28, 2026 at 6:00 PM GMT+1', 'Sunday, March 29, 2026 at 7:00 PM GMT+2'],
  ['2026-10-24T16:00:00Z', 'Saturday, October 24, 2026 at 6:00 PM GMT+2', 'Sunday, October 25, 2026 at 5:00 PM GMT+1'],
])('24 hours from %s are 86,400 seconds across daylight saving changes', (received, start, end) => {
  const receivedAt = new Date(received);
  const answerBy = getAnswerBy({ receivedAt, releasedAt: null }, promise);

  expect(answerBy.getTime() - receivedAt.getTime()).toBe(86_400_000);
  expect(formatTime(receivedAt, 'Europe/Vienna')).toBe(`${start} (Europe/Vienna)`);
  expect(formatTime(answerBy, 'Europe/Vienna')).toBe(`${end} (Europe/Vienna)`);
});

test('the promised time of a held request starts at its release', () => {
  const receivedAt = new Date('2026-11-03T09:00:00Z');
  const releasedAt = new Date('2026-11-05T09:00:00Z');

  expect(getAnswerBy({ receivedAt, releasedAt }, promise)).toEqual(new Date('2026-11-06T09:00:00Z'));
});
