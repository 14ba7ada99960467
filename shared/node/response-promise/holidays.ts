import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import { Day } from '../../time.ts';
import { SiteError } from '../logging/describe-error.ts';
import type { TimeSpan } from './business-calendar.ts';

/** Thrown when a calendar can't be used; the message is the rest of a sentence about it. */
export class HolidaysError extends SiteError {
  override readonly name = 'HolidaysError';
}

/** Past and coming years for which repeated events are worked out. */
const PAST = 4 * 366 * Day;
const FUTURE = 6 * 366 * Day;

/** How an error names an event: by what its author reads in the file. */
function nameEvent(event: ICAL.Component): string {
  const text = event.getFirstPropertyValue('summary') ?? event.getFirstPropertyValue('uid');

  return typeof text === 'string' && text !== '' ? `the event “${text}”` : 'an event without a name';
}

/** ical.js takes 2026-13-45 for a day of 2027: the text it read is compared with the time it made. */
function checkTimes(event: ICAL.Component): void {
  for (const name of ['dtstart', 'dtend', 'exdate', 'recurrence-id']) {
    for (const property of event.getAllProperties(name)) {
      const written = (property.toJSON() as readonly unknown[]).slice(3);
      const read = property.getValues().map(String);
      if (written.some((text, index) => text !== read[index])) {
        throw new HolidaysError(`has ${nameEvent(event)} with a time that doesn't exist (${written.join()})`);
      }
    }
  }
}

/**
 * Every year on 29 February means leap years alone (RFC 5545, 3.3.10); ical.js takes 1 March in the others unless
 * the rule names month and day.
 */
function pinDay(rule: ICAL.Recur, start: ICAL.Time): void {
  if (rule.freq !== 'YEARLY' || Object.keys(rule.parts).some((part) => part !== 'BYMONTH')) return;
  if (!rule.parts.BYMONTH) rule.setComponent('BYMONTH', [start.month]);
  rule.setComponent('BYMONTHDAY', [start.day]);
}

/**
 * The parts, in the order of their names, of the rules whose days ical.js lists as RFC 5545 has them
 * (`holiday-rules.test.ts`); of others it takes every Monday for the twentieth, or 1 May for 31 April.
 */
const FOLLOWED: Readonly<Record<string, readonly string[]>> = {
  YEARLY: [
    ...['BYMONTH BYMONTHDAY', 'BYDAY', 'BYDAY BYMONTH', 'BYDAY BYMONTH BYMONTHDAY'],
    ...['BYDAY BYMONTH BYSETPOS', 'BYYEARDAY'],
  ],
  MONTHLY: ['', 'BYMONTHDAY', 'BYDAY', 'BYDAY BYSETPOS'],
  WEEKLY: ['', 'BYDAY', 'BYMONTH', 'BYDAY BYMONTH'],
  DAILY: [
    ...['', 'BYDAY', 'BYMONTH', 'BYMONTHDAY', 'BYDAY BYMONTH', 'BYDAY BYMONTHDAY'],
    ...['BYMONTH BYMONTHDAY', 'BYDAY BYMONTH BYMONTHDAY'],
  ],
};

/** Whether a month has a day in a leap year. */
const hasDay = (month: number, day: number): boolean =>
  day > 0 && day <= Temporal.PlainYearMonth.from({ year: 2024, month }).daysInMonth;

/** Whether ical.js lists the days of a rule, and those that the rule means. */
function isFollowed({ freq, interval, parts }: ICAL.Recur): boolean {
  const { BYMONTH, BYMONTHDAY = [], BYSETPOS, BYDAY = [] } = parts;
  if (!FOLLOWED[freq]?.includes(Object.keys(parts).sort().join(' '))) return false;
  // The tenth Monday of a year is every Monday to it.
  if (BYDAY.some((day) => /\d\d/.test(day))) return false;
  const hasNumber = BYDAY.some((day) => /\d/.test(day));
  // Every seventh day is the same day of the week.
  if (freq === 'DAILY' && BYDAY.length > 0 && interval % 7 === 0) return false;
  if (BYSETPOS !== undefined) return !hasNumber && (BYMONTH?.length ?? 1) === 1;
  if (freq === 'YEARLY') return BYMONTHDAY.every((day) => BYMONTH?.every((month) => hasDay(month, day)));
  if (freq === 'MONTHLY') return true;
  // Week after week, or day after day, it would look for ever for a day that never comes.
  if (hasNumber) return false;
  if (freq === 'WEEKLY' || BYMONTHDAY.length === 0) return true;
  const comes = BYMONTHDAY.some((day) => (BYMONTH ?? [1]).some((month) => hasDay(month, day)));

  return interval === 1 && comes && BYMONTHDAY.every((day) => day > 0);
}

/** @throws HolidaysError for what no holiday does, and for days that would not be those the rule means */
function checkRules(event: ICAL.Component): void {
  for (const property of event.getAllProperties('rrule')) {
    const rule = property.getFirstValue();
    if (!(rule instanceof ICAL.Recur)) continue;
    if (!['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY'].includes(rule.freq)) {
      throw new HolidaysError(`has ${nameEvent(event)}, which is repeated more often than daily`);
    }
    const written = rule.toString();
    const start = event.getFirstPropertyValue('dtstart');
    if (start instanceof ICAL.Time) pinDay(rule, start);
    if (!isFollowed(rule)) {
      throw new HolidaysError(
        `has ${nameEvent(event)}, which is repeated in a way the site doesn't know (${written}); make each of its days an event`,
      );
    }
  }
}

/** The zone a time was written in; a time without one is of the site's. */
function findZone(event: ICAL.Component, name: string, time: ICAL.Time, timeZone: string): string {
  if (time.zone === ICAL.Timezone.utcTimezone) return 'UTC';
  const zone = event.getFirstProperty(name)?.getFirstParameter('tzid');

  return zone === undefined || zone === '' ? timeZone : zone;
}

function toEpochMs(time: ICAL.Time, timeZone: string): number {
  const { year, month, day, hour, minute, second, isDate } = time;
  const date = Temporal.PlainDate.from({ year, month, day });

  return isDate
    ? date.toZonedDateTime(timeZone).epochMilliseconds
    : date.toZonedDateTime({ timeZone, plainTime: { hour, minute, second } }).epochMilliseconds;
}

function toSpan({ startDate, endDate, item }: ReturnType<ICAL.Event['getOccurrenceDetails']>, timeZone: string) {
  const event = item.component;
  try {
    return {
      start: toEpochMs(startDate, findZone(event, 'dtstart', startDate, timeZone)),
      // A duration ends in the zone of the start.
      end: toEpochMs(endDate, findZone(event, 'dtend', endDate, findZone(event, 'dtstart', endDate, timeZone))),
    };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new HolidaysError(`has ${nameEvent(event)} in a time zone that is not known by that name`);
  }
}

const isCancelled = (event: ICAL.Component) =>
  event.getFirstPropertyValue('status') === 'CANCELLED';

/** The events that move or cancel one occurrence of a repeated one; ical.js would take those of others too. */
function listExceptions(event: ICAL.Component): ICAL.Component[] {
  const uid = event.getFirstPropertyValue('uid');
  const siblings = event.parent?.getAllSubcomponents('vevent') ?? [];

  return siblings.filter(
    (other) => other.hasProperty('recurrence-id') && other.getFirstPropertyValue('uid') === uid,
  );
}

/** The spans of one event, all its repetitions included, from `since` until `until`. */
function listSpans(component: ICAL.Component, timeZone: string, since: number, until: number): TimeSpan[] {
  const event = new ICAL.Event(component, { exceptions: listExceptions(component) });
  const firstYear = new Date(since).getUTCFullYear();
  const spans: TimeSpan[] = [];
  const occurrences = event.iterator();

  for (let start = occurrences.next(); start; start = occurrences.next()) {
    if (start.year < firstYear) continue;
    const occurrence = event.getOccurrenceDetails(start);
    const span = toSpan(occurrence, timeZone);
    if (span.end <= span.start) throw new HolidaysError(`has ${nameEvent(component)}, which doesn't end after it begins`);
    if (span.start > until) break;
    if (span.end > since && !isCancelled(occurrence.item.component)) spans.push(span);
  }

  return spans;
}

function parseEvents(text: string): ICAL.Component[] {
  let calendars: ICAL.Component[];
  try {
    // Of several calendars in one file `parse` returns a list.
    const parsed = ICAL.parse(text) as [unknown, ...unknown[]];
    calendars = (Array.isArray(parsed[0]) ? parsed : [parsed]).map(
      (jcal) => new ICAL.Component(jcal as ConstructorParameters<typeof ICAL.Component>[0]),
    );
  } catch (error) {
    // A line outside of everything makes ical.js stumble instead.
    const reason = error instanceof Error && !(error instanceof TypeError) ? ` (${error.message})` : '';
    throw new HolidaysError(`is not an iCalendar file that can be read${reason}`);
  }
  const events = calendars.flatMap((calendar) =>
    calendar.name === 'vcalendar' ? calendar.getAllSubcomponents('vevent') : [],
  );
  if (events.length === 0) throw new HolidaysError('is not an iCalendar file with events (VEVENT)');

  return events;
}

/**
 * Reads the events of an iCalendar file, as spans in which nobody is there: whole days of the site's zone, or
 * from a time to another. Who made it says free or busy as they like, so that isn't asked.
 * @param now repeated events are worked out from four years before until six years after
 * @throws HolidaysError when something in it can't be understood
 */
export function readHolidays(text: string, timeZone: string, now: number): TimeSpan[] {
  return parseEvents(text).flatMap((event) => {
    try {
      if (!event.hasProperty('dtstart')) throw new HolidaysError(`has ${nameEvent(event)} without a start`);
      if (event.hasProperty('rdate')) {
        throw new HolidaysError(`has ${nameEvent(event)} with RDATE; make each of its days an event`);
      }
      checkTimes(event);
      checkRules(event);
      // Read with the event it is an exception of.
      if (event.hasProperty('recurrence-id')) return [];

      return listSpans(event, timeZone, now - PAST, now + FUTURE);
    } catch (error) {
      if (error instanceof HolidaysError) throw error;
      throw new HolidaysError(`has ${nameEvent(event)} that can't be understood`);
    }
  });
}
