import { expect, test } from 'vitest';
import { createResponsePromise } from './response-promise.ts';
import { parseWeeklyHours } from './weekly-hours.ts';
import { Hour } from '../../time.ts';

const closures = [{ start: Date.parse('2026-11-30T00:00Z'), end: Date.parse('2026-12-01T00:00Z') }];

function makePromise(text: string) {
  const elapsed = { reminderAfter: Hour, dueAfter: Hour };
  if (text === 'none') return createResponsePromise(elapsed);
  const parsed = parseWeeklyHours(text);
  if ('error' in parsed) throw new Error(parsed.error);

  return createResponsePromise({ ...elapsed, businessTime: { hours: parsed.hours, timeZone: 'Europe/Vienna', closures } });
}

test.each([
  ['nine the same day', 'none', '2026-11-27T07:59:59Z', '2026-11-27T08:00:00Z'],
  ['nine the next day, if it is already nine', 'none', '2026-11-27T08:00:00Z', '2026-11-28T08:00:00Z'],
  ['nine local time, even if clocks change at night', 'none', '2026-03-28T12:00:00Z', '2026-03-29T07:00:00Z'],
  ['when business opens', 'Mon-Fri 08:30-17:00', '2026-11-26T09:00:00Z', '2026-11-27T07:30:00Z'],
  ['never on a weekend or a holiday', 'Mon-Fri 08:30-17:00', '2026-11-27T09:00:00Z', '2026-12-01T07:30:00Z'],
  ['never the end of a break', 'Mon-Fri 08:00-12:00, Mon-Fri 13:00-17:00', '2026-11-26T11:30:00Z', '2026-11-27T07:00:00Z'],
])('the next morning is %s (business hours: %s)', (_what, hours, now, morning) => {
  expect(makePromise(hours).findNextMorning(new Date(now), 'Europe/Vienna')).toEqual(new Date(morning));
});
