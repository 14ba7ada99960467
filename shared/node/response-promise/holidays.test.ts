import { expect, test } from 'vitest';
import { HolidaysError, readHolidays } from './holidays.ts';

const ZONE = 'Europe/Vienna';
const NOW = Date.parse('2026-11-23T12:00:00Z');

const calendar = (...events: ReadonlyArray<readonly string[]>) =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//test//EN',
    ...events.flatMap((lines, index) => [
      'BEGIN:VEVENT',
      ...(lines.some((line) => line.startsWith('UID:')) ? [] : [`UID:${index}@example.com`]),
      ...lines,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
    '',
  ].join('\r\n');

/** Returns the spans as local times in the site's zone. */
function read(...events: ReadonlyArray<readonly string[]>): string[] {
  const show = (time: number) =>
    new Date(time).toLocaleString('sv', { timeZone: ZONE }).replace(/ 00:00:00$/, '').replace(/:00$/, '');

  return readHolidays(calendar(...events), ZONE, NOW).map(({ start, end }) => `${show(start)}/${show(end)}`);
}

const fail = (...events: ReadonlyArray<readonly string[]>) => () => read(...events);

const year = (date: string, rule = '') => [`DTSTART;VALUE=DATE:${date}`, `RRULE:FREQ=YEARLY${rule}`];

test('an event without an end lasts one day, and its end, if any, is exclusive', () => {
  expect(read(['DTSTART;VALUE=DATE:20261226'])).toEqual(['2026-12-26/2026-12-27']);
  expect(read(['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'])).toEqual(['2026-12-24/2026-12-27']);
  expect(read(['DTSTART;VALUE=DATE:20261224', 'DURATION:P3D'])).toEqual(['2026-12-24/2026-12-27']);
  expect(read(['DTSTART;VALUE=DATE:20261208', 'STATUS:CANCELLED'])).toEqual([]);
});

test('a yearly event is listed from four years ago until six years from now', () => {
  const days = read(year('19001231'));

  expect(days[0]).toBe('2022-12-31/2023-01-01');
  expect(days.at(-1)).toBe('2032-12-31/2033-01-01');
});

test('a yearly event may fall on 29 February, even if its rule doesn’t name the day', () => {
  for (const rule of ['', ';BYMONTH=2;BYMONTHDAY=29']) {
    expect(read(year('20240229', rule)).map((span) => span.slice(0, 10))).toEqual(['2024-02-29', '2028-02-29', '2032-02-29']);
  }
});

test.each<[string, readonly string[], RegExp]>([
  ['an impossible date', ['SUMMARY:Odd', 'DTSTART;VALUE=DATE:20261345'], /^has the event “Odd” with a day that doesn't exist \(2026-13-45\)$/],
  ['30 February', ['DTSTART;VALUE=DATE:20260230'], /^has the event “0@example.com” with a day that doesn't exist/],
  ['a date in words', ['DTSTART;VALUE=DATE:tomorrow'], /can't be understood|doesn't exist|not an iCalendar/],
  ['no start', ['SUMMARY:Never'], /“Never” without a start/],
  ['an end before its start', ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261220'], /doesn't end after it begins/],
  ['a duration in hours', ['DTSTART;VALUE=DATE:20261224', 'DURATION:PT6H'], /doesn't end after it begins/],
  ['a time of day', ['DTSTART;TZID=Europe/Vienna:20261224T120000', 'DURATION:PT6H'], /only whole days/],
  ['an invalid rule', ['DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=SOMETIMES'], /can be read \(invalid frequency/],
  ['a list of days', ['DTSTART;VALUE=DATE:20261224', 'RDATE;VALUE=DATE:20270101'], /with RDATE; make each of its days an event/],
  ['an exception', [...year('20261224'), 'EXDATE;VALUE=DATE:20271224'], /with EXDATE/],
  ['a moved day', ['RECURRENCE-ID;VALUE=DATE:20271101', 'DTSTART;VALUE=DATE:20271102'], /with RECURRENCE-ID/],
])('an event with %s is rejected, and the error names the event', (_what, event, message) => {
  expect(fail(event)).toThrow(HolidaysError);
  expect(fail(event)).toThrow(message);
});

test.each([
  'FREQ=DAILY;BYMONTH=12',
  'FREQ=WEEKLY;BYDAY=TH',
  'FREQ=MONTHLY;BYMONTHDAY=24',
  'FREQ=YEARLY;BYMONTHDAY=24',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
  'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24,25',
  'FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=31',
  'FREQ=YEARLY;BYMONTH=11,12',
  'FREQ=YEARLY;INTERVAL=4',
  'FREQ=YEARLY;COUNT=3',
  'FREQ=YEARLY;UNTIL=20281224',
  'FREQ=YEARLY;BYDAY=4TH',
  'FREQ=YEARLY;BYMONTH=12;BYDAY=4TH;BYMONTHDAY=24',
  'FREQ=YEARLY;BYWEEKNO=52;BYDAY=TH',
])('the rule %s is rejected for an event on Thursday, 24 December, because it isn’t on that date every year', (rule) => {
  const event = ['SUMMARY:Odd', 'DTSTART;VALUE=DATE:20261224', `RRULE:${rule}`];

  expect(fail(event)).toThrow(HolidaysError);
  expect(fail(event)).toThrow('has the event “Odd” with a rule that the site doesn\'t follow (FREQ=');
});

test.each([
  ['', /not an iCalendar file/],
  ['root:x:0:0:root:/root:/bin/sh\n', /not an iCalendar file that can be read$/],
  ['<!doctype html><title>Sign in</title>', /not an iCalendar file/],
  ['BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n', /not an iCalendar file/],
  ['BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n', /not an iCalendar file with events/],
  [calendar(), /not an iCalendar file with events/],
])('%j is rejected as a calendar', (text, message) => {
  expect(() => readHolidays(text, ZONE, NOW)).toThrow(HolidaysError);
  expect(() => readHolidays(text, ZONE, NOW)).toThrow(message);
});

test('every calendar in a file is read', () => {
  const text = calendar(['DTSTART;VALUE=DATE:20261224']) + calendar(['DTSTART;VALUE=DATE:20261225']);

  expect(readHolidays(text, ZONE, NOW)).toHaveLength(2);
});
