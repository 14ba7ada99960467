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

test('the promised response time for a held request starts at its release', () => {
  const receivedAt = new Date('2026-11-03T09:00:00Z');
  const releasedAt = new Date('2026-11-05T09:00:00Z');

  expect(getAnswerBy({ receivedAt, releasedAt }, promise)).toEqual(new Date('2026-11-06T09:00:00Z'));
});
