import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Day, Hour, Minute } from '../../time.ts';
import { createBusinessCalendar, type BusinessTime, type TimeSpan } from './business-calendar.ts';
import { parseWeeklyHours, type WeeklyHours } from './weekly-hours.ts';

function parseHours(text: string): WeeklyHours {
  const parsed = parseWeeklyHours(text);
  if ('error' in parsed) throw new Error(parsed.error);

  return parsed.hours;
}

const officeHours = parseHours('Mon-Fri 09:00-17:00');

/** Includes southern zones, zones whose clocks change at midnight or by half an hour, and one that skipped a day. */
const zones = [
  'UTC', 'Europe/Vienna', 'America/New_York', 'Australia/Lord_Howe', 'America/Havana', 'America/Sao_Paulo',
  'Africa/Casablanca', 'Pacific/Apia', 'Asia/Kathmandu', 'America/Santiago', 'Asia/Beirut',
] as const;

const anyZone = fc.constantFrom(...zones);
/** From 2010 to 2030, including the day Samoa skipped and nights when clocks changed in Brazil and Cuba. */
const anyTime = fc.integer({ min: Date.UTC(2010, 0), max: Date.UTC(2030, 0) });
/** Around year ends and nights when clocks change. */
const anySpecialTime = fc
  .tuple(
    fc.constantFrom(
      '2026-03-29T01:00Z', '2026-10-25T01:00Z', '2026-03-08T07:00Z', '2026-11-01T06:00Z', '2011-12-30T10:00Z',
      '2017-10-15T03:00Z', '2018-02-18T02:00Z', '2026-12-31T23:59Z', '2024-02-29T12:00Z', '2026-04-04T15:00Z',
    ),
    fc.integer({ min: -3 * Day, max: 3 * Day }),
  )
  .map(([time, offset]) => Date.parse(time) + offset);
const anyMoment = fc.oneof(anyTime, anySpecialTime);
const anyDuration = fc.integer({ min: 1, max: 60 * Hour });

/** A day's ranges, in order, not overlapping, and in steps of a quarter of an hour. */
const anyDay = fc
  .uniqueArray(fc.integer({ min: 0, max: 96 }), { maxLength: 6 })
  .map((quarters) => quarters.toSorted((one, other) => one - other))
  .map((quarters) =>
    Array.from({ length: Math.floor(quarters.length / 2) }, (_, index) => ({
      from: (quarters[2 * index] ?? 0) * 15,
      to: (quarters[2 * index + 1] ?? 0) * 15,
    })),
  );
const anyHours = fc
  .array(anyDay, { minLength: 7, maxLength: 7 })
  .filter((week) => week.flat().some(({ from, to }) => to - from >= 60))
  .filter((week) => week.flat().reduce((sum, { from, to }) => sum + to - from, 0) >= 8 * 60);

const anyClosures = (near: number) =>
  fc.array(
    fc
      .tuple(fc.integer({ min: -10 * Day, max: 20 * Day }), fc.integer({ min: 1, max: 3 * Day }))
      .map(([offset, length]) => ({ start: near + offset, end: near + offset + length })),
    { maxLength: 4 },
  );

const anyBusinessTime = (near: number): fc.Arbitrary<BusinessTime> =>
  fc.record({ hours: anyHours, timeZone: anyZone, closures: anyClosures(near) });

const anyCase = anyMoment.chain((time) =>
  fc.record({ time: fc.constant(time), businessTime: anyBusinessTime(time), duration: anyDuration }),
);

/** Returns the local time that a wall clock shows, according to the platform's formatter. */
function readWall(time: number, timeZone: string): { readonly day: number; readonly minute: number } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone, weekday: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23',
  }).formatToParts(time);
  const get = (type: string) => parts.find((part) => part.type === type)?.value ?? '';

  return {
    day: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].indexOf(get('weekday')),
    minute: Number(get('hour')) * 60 + Number(get('minute')),
  };
}

function isOpenOnWall({ hours, timeZone, closures }: BusinessTime, time: number): boolean {
  const { day, minute } = readWall(time, timeZone);
  const isIn = ({ start, end }: TimeSpan) => time >= start && time < end;

  return (hours[day] ?? []).some(({ from, to }) => minute >= from && minute < to) && !closures.some(isIn);
}

/** Returns whether a wall clock shows a minute for the second time after being set back by an hour or half an hour. */
function isShownAgain(time: number, timeZone: string): boolean {
  const now = readWall(time, timeZone);

  return [1, 0.5].some((hours) => {
    const before = readWall(time - hours * Hour, timeZone);

    return before.day === now.day && before.minute === now.minute;
  });
}

describe('in business time', () => {
  const vienna = createBusinessCalendar({ hours: officeHours, timeZone: 'Europe/Vienna', closures: [] });
  const add = (start: string, hours: number) =>
    new Date(vienna.addOpenTime(Date.parse(start), hours * Hour)).toISOString();

  test.each([
    ['an hour in the morning ends an hour later', '2026-11-23T09:00:00+01:00', 1, '2026-11-23T09:00:00.000Z'],
    ['a whole day ends at closing time', '2026-11-23T09:00:00+01:00', 8, '2026-11-23T16:00:00.000Z'],
    ['a duration that starts at night counts from opening time', '2026-11-23T23:00:00+01:00', 1, '2026-11-24T09:00:00.000Z'],
    ['a duration that starts on Friday afternoon continues on Monday', '2026-11-27T16:00:00+01:00', 2, '2026-11-30T09:00:00.000Z'],
    ['24 hours are three eight-hour days', '2026-11-23T10:00:00+01:00', 24, '2026-11-26T09:00:00.000Z'],
    ['the night when clocks go forward isn’t open', '2026-03-27T16:00:00+01:00', 2, '2026-03-30T08:00:00.000Z'],
    ['the night when clocks go back isn’t open', '2026-10-23T16:00:00+02:00', 2, '2026-10-26T09:00:00.000Z'],
  ])('%s', (_rule, start, hours, end) => {
    expect(add(start, hours)).toBe(end);
  });

  test('full-day and partial holidays are closed', () => {
    const closed = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) });
    const calendar = createBusinessCalendar({
      hours: officeHours,
      timeZone: 'Europe/Vienna',
      closures: [
        closed('2026-12-24T12:00:00+01:00', '2026-12-27T00:00:00+01:00'),
        closed('2027-01-01T00:00:00+01:00', '2027-01-02T00:00:00+01:00'),
      ],
    });
    const end = calendar.addOpenTime(Date.parse('2026-12-24T11:00:00+01:00'), 2 * Hour);

    expect(new Date(end).toISOString()).toBe('2026-12-28T09:00:00.000Z');
  });

  test('skipped hours don’t count, and repeated hours count twice', () => {
    const night = createBusinessCalendar({
      hours: parseHours('Sun 01:00-04:00'),
      timeZone: 'Europe/Vienna',
      closures: [],
    });
    const listNight = (day: string) => {
      const [span] = night.listOpenSpans(Date.parse(`${day}T00:00:00Z`) - Hour);

      return span && (span.end - span.start) / Hour;
    };

    expect(listNight('2026-03-29')).toBe(2);
    expect(listNight('2026-10-25')).toBe(4);
    expect(listNight('2026-11-01')).toBe(3);
  });
});

describe('for any business hours, zone, holidays and time', () => {
  test('a deadline falls in open time (except in repeated minutes), and no earlier than its duration allows', () => {
    fc.assert(
      fc.property(anyCase, ({ time, businessTime, duration }) => {
        const end = createBusinessCalendar(businessTime).addOpenTime(time, duration);

        expect(end).toBeGreaterThanOrEqual(time + duration);
        // Check the moment before the deadline, because the deadline itself may be the closing time.
        const last = end - 1;
        expect(isOpenOnWall(businessTime, last) || isShownAgain(last, businessTime.timeZone)).toBe(true);
      }),
    );
  });

  test('adding two durations in sequence equals adding their sum', () => {
    fc.assert(
      fc.property(anyCase, anyDuration, ({ time, businessTime, duration }, second) => {
        const { addOpenTime } = createBusinessCalendar(businessTime);

        expect(addOpenTime(addOpenTime(time, duration), second)).toBe(addOpenTime(time, duration + second));
      }),
    );
  });

  test('a minute is open if the wall clock shows an open time, except for repeated minutes', () => {
    fc.assert(
      fc.property(anyCase, ({ time, businessTime }) => {
        const minute = time - (time % Minute);
        let isOpen = false;
        for (const { start, end } of createBusinessCalendar(businessTime).listOpenSpans(minute)) {
          if (start > minute) break;
          isOpen ||= minute < end;
        }
        if (isShownAgain(minute, businessTime.timeZone)) return;

        expect(isOpen).toBe(isOpenOnWall(businessTime, minute));
      }),
    );
  });
});
