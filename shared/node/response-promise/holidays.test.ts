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

/** The spans as times on the wall in the site's zone. */
function read(...events: ReadonlyArray<readonly string[]>): string[] {
  const show = (time: number) =>
    new Date(time).toLocaleString('sv', { timeZone: ZONE }).replace(/ 00:00:00$/, '').replace(/:00$/, '');

  return readHolidays(calendar(...events), ZONE, NOW).map(({ start, end }) => `${show(start)}/${show(end)}`);
}

const fail = (...events: ReadonlyArray<readonly string[]>) => () => read(...events);

test('a day without an end is that day, and an end is the first day that is none', () => {
  expect(read(['DTSTART;VALUE=DATE:20261226'])).toEqual(['2026-12-26/2026-12-27']);
  expect(read(['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261227'])).toEqual(['2026-12-24/2026-12-27']);
});

test('a time is of its own zone, of UTC, or else of the site’s', () => {
  expect(
    read(
      ['DTSTART;TZID=America/New_York:20261224T060000', 'DURATION:PT6H'],
      ['DTSTART:20261224T110000Z', 'DTEND:20261224T170000Z'],
      ['DTSTART:20261224T120000', 'DTEND:20261224T180000'],
    ),
  ).toEqual(Array.from({ length: 3 }, () => '2026-12-24 12:00/2026-12-24 18:00'));
});

test('a rule without an end is worked out for some years, and no past that nobody asks about', () => {
  const days = read(['DTSTART;VALUE=DATE:19000101', 'RRULE:FREQ=YEARLY']);

  expect(days[0]).toBe('2023-01-01/2023-01-02');
  expect(days.at(-1)).toBe('2032-01-01/2032-01-02');
});

test('rules about weekdays, exceptions and moved or cancelled days are followed', () => {
  const days = read(
    ['DTSTART;VALUE=DATE:20260525', 'RRULE:FREQ=YEARLY;BYMONTH=5;BYDAY=-1MO;COUNT=2'],
    ['DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=YEARLY;COUNT=3', 'EXDATE;VALUE=DATE:20271224'],
    ['UID:moved', 'DTSTART;VALUE=DATE:20261101', 'RRULE:FREQ=YEARLY;COUNT=2'],
    ['UID:moved', 'RECURRENCE-ID;VALUE=DATE:20271101', 'DTSTART;VALUE=DATE:20271102'],
    ['DTSTART;VALUE=DATE:20261208', 'STATUS:CANCELLED'],
  );

  expect(days.map((day) => day.slice(0, 10))).toEqual([
    '2026-05-25', '2027-05-31',
    '2026-12-24', '2028-12-24',
    '2026-11-01', '2027-11-02',
  ]);
});

test('a rule for each day may name months and weekdays', () => {
  const days = read(['DTSTART;VALUE=DATE:20260801', 'RRULE:FREQ=DAILY;BYMONTH=8;BYDAY=FR,SA;COUNT=3']);

  expect(days.map((day) => day.slice(0, 10))).toEqual(['2026-08-01', '2026-08-07', '2026-08-08']);
});

test.each([
  ['25 and 26 December', '20261225', 'BYMONTH=12;BYMONTHDAY=25,26', ['2026-12-25', '2026-12-26']],
  ['29 February', '20280229', 'BYMONTH=2;BYMONTHDAY=29', ['2028-02-29', '2032-02-29']],
  ['every second day that is a Friday', '20260102', 'INTERVAL=2;BYDAY=FR', ['2026-01-02', '2026-01-16']],
])('a rule for each day may be about %s', (_what, start, rule, expected) => {
  const days = read([`DTSTART;VALUE=DATE:${start}`, `RRULE:FREQ=DAILY;${rule};COUNT=2`]);

  expect(days.map((day) => day.slice(0, 10))).toEqual(expected);
});

test('every year on 29 February is leap years alone', () => {
  const days = read(['DTSTART;VALUE=DATE:20240229', 'RRULE:FREQ=YEARLY']);

  expect(days).toEqual(['2024-02-29/2024-03-01', '2028-02-29/2028-03-01', '2032-02-29/2032-03-01']);
});

test.each<[string, readonly string[], RegExp]>([
  ['a day that no calendar has', ['SUMMARY:Odd', 'DTSTART;VALUE=DATE:20261345'], /^has the event “Odd” with a time that doesn't exist \(2026-13-45\)$/],
  ['30 February', ['DTSTART;VALUE=DATE:20260230'], /^has the event “0@example.com” with a time that doesn't exist/],
  ['an exception that no calendar has', ['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=YEARLY', 'EXDATE;VALUE=DATE:20261399'], /doesn't exist/],
  ['words for a day', ['DTSTART;VALUE=DATE:tomorrow'], /can't be understood|doesn't exist|not an iCalendar/],
  ['no start', ['SUMMARY:Never'], /“Never” without a start/],
  ['an end before its start', ['DTSTART;VALUE=DATE:20261224', 'DTEND;VALUE=DATE:20261220'], /doesn't end after it begins/],
  ['a moment', ['DTSTART:20261224T120000'], /doesn't end after it begins/],
  ['a zone of its author’s own', ['DTSTART;TZID=Our office:20261224T120000', 'DURATION:PT1H'], /time zone that is not known/],
  ['a rule that is none', ['DTSTART;VALUE=DATE:20261224', 'RRULE:FREQ=SOMETIMES'], /can be read \(invalid frequency/],
  ['a rule for each second', ['DTSTART:20200101T000000Z', 'DURATION:PT1S', 'RRULE:FREQ=SECONDLY'], /repeated more often than daily/],
  ['days in a list', ['DTSTART;VALUE=DATE:20261224', 'RDATE;VALUE=DATE:20270101'], /RDATE/],
])('an event with %s is refused by name', (_what, event, message) => {
  expect(fail(event)).toThrow(HolidaysError);
  expect(fail(event)).toThrow(message);
});

test.each([
  'FREQ=YEARLY;BYWEEKNO=30;BYDAY=MO,TU,WE,TH,FR',
  'FREQ=YEARLY;BYDAY=20MO',
  'FREQ=YEARLY;BYDAY=MO;BYSETPOS=1',
  'FREQ=YEARLY;BYMONTH=4,5;BYDAY=MO;BYSETPOS=1',
  'FREQ=YEARLY;BYMONTHDAY=1',
  'FREQ=YEARLY;BYMONTH=6,7;BYMONTHDAY=31',
  'FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=-1',
  'FREQ=YEARLY;BYMONTH=1,2',
  'FREQ=MONTHLY;INTERVAL=4;BYMONTH=1,6',
  'FREQ=WEEKLY;BYDAY=MO,WE;BYSETPOS=-1',
  'FREQ=WEEKLY;BYWEEKNO=5;BYMONTH=12',
  'FREQ=DAILY;BYMONTHDAY=30;BYMONTH=2',
  'FREQ=DAILY;BYMONTHDAY=-31;BYMONTH=4',
  'FREQ=DAILY;BYDAY=2MO',
  'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
  'FREQ=DAILY;BYHOUR=9,17',
])('the rule %s is refused, since ical.js would take other days, or look for them for ever', (rule) => {
  const event = ['SUMMARY:Odd', 'DTSTART;VALUE=DATE:20260131', `RRULE:${rule}`];

  expect(fail(event)).toThrow(HolidaysError);
  expect(fail(event)).toThrow(`the event “Odd”, which is repeated in a way the site doesn't know (FREQ=`);
});

test.each([
  ['', /not an iCalendar file/],
  ['root:x:0:0:root:/root:/bin/sh\n', /not an iCalendar file that can be read$/],
  ['<!doctype html><title>Sign in</title>', /not an iCalendar file/],
  ['BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n', /not an iCalendar file/],
  ['BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nEND:VCARD\r\n', /not an iCalendar file with events/],
  [calendar(), /not an iCalendar file with events/],
])('%j is no calendar', (text, message) => {
  expect(() => readHolidays(text, ZONE, NOW)).toThrow(HolidaysError);
  expect(() => readHolidays(text, ZONE, NOW)).toThrow(message);
});

test('of several calendars in one file all count', () => {
  const text = calendar(['DTSTART;VALUE=DATE:20261224']) + calendar(['DTSTART;VALUE=DATE:20261225']);

  expect(readHolidays(text, ZONE, NOW)).toHaveLength(2);
});
