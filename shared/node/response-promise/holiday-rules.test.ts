import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { expect, test } from 'vitest';
import { readHolidays } from './holidays.ts';

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const NOW = Date.parse('2026-11-23T12:00:00Z');
const FIRST = '2019-01-01';
/** The days that are compared: those before have passed. */
const [FROM, UNTIL] = ['2023-01-01', '2032-01-01'];

interface Rule {
  readonly FREQ: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY';
  readonly INTERVAL?: number;
  readonly BYMONTH?: readonly number[];
  readonly BYMONTHDAY?: readonly number[];
  readonly BYYEARDAY?: readonly number[];
  readonly BYDAY?: readonly string[];
  readonly BYSETPOS?: readonly number[];
}

/** A day of the calendar. */
type Day = ReturnType<typeof describeDay>;

function describeDay(index: number) {
  const date = Temporal.PlainDate.from(FIRST).add({ days: index });
  const { year, month, day, dayOfWeek, dayOfYear, daysInMonth, daysInYear } = date;

  // The first of the days, a Tuesday, is in a week that began the day before.
  return { text: String(date), index, week: Math.floor((index + 1) / 7), year, month, day, dayOfWeek, dayOfYear, daysInMonth, daysInYear };
}

/** Every day of the years, which are worked out once: each takes a while. */
const days = Array.from({ length: Temporal.PlainDate.from(FIRST).until(UNTIL).days }, (_, index) => describeDay(index));

const hasEither = (values: readonly number[], fromStart: number, fromEnd: number) =>
  values.includes(fromStart) || values.includes(-fromEnd);

/** Whether one of `2MO`, `-1FR`, `SU` is this day: of its month, or of its year where the rule names no months. */
function isWeekday(date: Day, { FREQ, BYMONTH, BYDAY = [] }: Rule): boolean {
  const ofMonth = FREQ === 'MONTHLY' || BYMONTH !== undefined;
  const [day, days] = ofMonth ? [date.day, date.daysInMonth] : [date.dayOfYear, date.daysInYear];

  return BYDAY.some((text) => {
    const number = Number(text.slice(0, -2));
    const isDay = text.endsWith(WEEKDAYS[date.dayOfWeek - 1] ?? '');

    return isDay && (number === 0 || hasEither([number], Math.ceil(day / 7), Math.ceil((days - day + 1) / 7)));
  });
}

/** Whether each part of a rule allows a day (RFC 5545, 3.3.10); what the rule leaves out is as in its start. */
function allows(rule: Rule, start: Day, date: Day): boolean {
  const { FREQ, BYMONTH, BYMONTHDAY, BYYEARDAY, BYDAY } = rule;
  const hasDays = (BYMONTHDAY ?? BYYEARDAY ?? BYDAY) !== undefined;
  const months = BYMONTH ?? (FREQ === 'YEARLY' && !hasDays ? [start.month] : undefined);
  const monthDays = BYMONTHDAY ?? ((FREQ === 'YEARLY' || FREQ === 'MONTHLY') && !hasDays ? [start.day] : undefined);

  return (
    (months?.includes(date.month) ?? true) &&
    (!monthDays || hasEither(monthDays, date.day, date.daysInMonth - date.day + 1)) &&
    (!BYYEARDAY || hasEither(BYYEARDAY, date.dayOfYear, date.daysInYear - date.dayOfYear + 1)) &&
    (!BYDAY || isWeekday(date, rule)) &&
    (FREQ !== 'WEEKLY' || BYDAY !== undefined || date.dayOfWeek === start.dayOfWeek)
  );
}

/** The number of a day's year, month, week or day, of which every INTERVAL-th has days. */
function countPeriod({ FREQ }: Rule, { index, week, month, year }: Day): number {
  return { DAILY: index, WEEKLY: week, MONTHLY: year * 12 + month, YEARLY: year }[FREQ];
}

/** Every day from `start` that a rule means, found by trying each day there is. */
function listDays(rule: Rule, start: Day): string[] {
  const isCounted = (date: Day) => (countPeriod(rule, date) - countPeriod(rule, start)) % (rule.INTERVAL ?? 1) === 0;
  const periods = new Map<number, Day[]>();
  for (const date of days.filter((each) => isCounted(each) && allows(rule, start, each))) {
    const period = countPeriod(rule, date);
    periods.set(period, [...(periods.get(period) ?? []), date]);
  }
  const chosen = [...periods.values()].flatMap((dates) =>
    rule.BYSETPOS
      ? rule.BYSETPOS.flatMap((position) => dates.at(position > 0 ? position - 1 : position) ?? [])
      : dates,
  );

  return chosen.filter(({ index }) => index >= start.index).map(({ text }) => text).sort();
}

const writeRule = (rule: Rule): string =>
  Object.entries(rule).map(([name, value]) => `${name}=${String(value)}`).join(';');

/** What the site reads of an event of one day with this rule. */
function readDays(rule: Rule, start: Day): string[] {
  const day = start.text.replaceAll('-', '');
  const event = ['BEGIN:VEVENT', 'UID:1', `DTSTART;VALUE=DATE:${day}`, `RRULE:${writeRule(rule)}`, 'END:VEVENT'];
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test//EN', ...event, 'END:VCALENDAR', ''].join('\r\n');

  return readHolidays(text, 'UTC', NOW).map((span) => new Date(span.start).toISOString().slice(0, 10)).sort();
}

const isAsked = (day: string) => day >= FROM && day < UNTIL;

const several = <Value>(one: fc.Arbitrary<Value>, maxLength = 3) => fc.uniqueArray(one, { minLength: 1, maxLength });
const BYMONTH = several(fc.integer({ min: 1, max: 12 }));
const oneMonth = several(fc.integer({ min: 1, max: 12 }), 1);
/** Days that every month has. */
const BYMONTHDAY = several(fc.integer({ min: 1, max: 28 }), 7);
const anyMonthDay = several(fc.integer({ min: -31, max: 31 }).filter((day) => day !== 0));
const BYYEARDAY = several(fc.integer({ min: -366, max: 366 }).filter((day) => day !== 0));
const weekday = fc.constantFrom(...WEEKDAYS);
const number = fc.constantFrom(1, 2, 3, 4, 5, -1, -2, -3, -4, -5);
const BYDAY = several(weekday);
const numbered = fc.oneof(BYDAY, several(fc.tuple(number, weekday).map(([count, day]) => `${count}${day}`)));
const BYSETPOS = several(fc.constantFrom(1, 2, 3, -1, -2), 1);
const [YEARLY, MONTHLY, WEEKLY, DAILY] = (['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'] as const).map((FREQ) => fc.constant(FREQ));

/** Every kind of rule that is followed. */
const kinds = [
  ...[{ FREQ: YEARLY }, { FREQ: YEARLY, BYMONTH, BYMONTHDAY }, { FREQ: YEARLY, BYDAY: numbered }],
  ...[{ FREQ: YEARLY, BYMONTH, BYDAY: numbered }, { FREQ: YEARLY, BYMONTH, BYMONTHDAY, BYDAY }],
  ...[{ FREQ: YEARLY, BYMONTH: oneMonth, BYDAY, BYSETPOS }, { FREQ: YEARLY, BYYEARDAY }],
  ...[{ FREQ: MONTHLY }, { FREQ: MONTHLY, BYMONTHDAY: anyMonthDay }, { FREQ: MONTHLY, BYDAY: numbered }],
  ...[{ FREQ: MONTHLY, BYDAY, BYSETPOS }, { FREQ: WEEKLY }, { FREQ: WEEKLY, BYDAY }, { FREQ: WEEKLY, BYMONTH }],
  ...[{ FREQ: WEEKLY, BYMONTH, BYDAY }, { FREQ: DAILY }, { FREQ: DAILY, BYDAY }, { FREQ: DAILY, BYMONTH, BYDAY }],
];

/** By days, only every day is counted, since others may never meet what else the rule asks for. */
const rules = fc.oneof(
  ...kinds.map((kind) => fc.record<object>({ ...kind, ...(kind.FREQ === DAILY ? {} : { INTERVAL: fc.integer({ min: 1, max: 3 }) }) })),
  ...[{ BYMONTH }, { BYMONTHDAY }, { BYMONTH, BYMONTHDAY }, { BYMONTHDAY, BYDAY }, { BYMONTH, BYMONTHDAY, BYDAY }].map(
    (parts) => fc.record<object>({ FREQ: DAILY, ...parts }),
  ),
) as fc.Arbitrary<Rule>;

test('a rule that is followed means the days that RFC 5545 says', () => {
  fc.assert(
    fc.property(rules, fc.constantFrom(...days.slice(0, 1_500)), (rule, from) => {
      // A first day that the rule itself means; others are undefined.
      const [first] = listDays({ ...rule, INTERVAL: 1 }, from);
      const start = days.find(({ text }) => text === first);
      if (!start) return fc.pre(false);

      expect(readDays(rule, start).filter(isAsked)).toEqual(listDays(rule, start).filter(isAsked));
    }),
    { numRuns: 150 },
  );
});
