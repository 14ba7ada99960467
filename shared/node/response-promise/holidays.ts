import ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import { SiteError } from '../logging/describe-error.ts';
import type { TimeSpan } from './business-calendar.ts';

/** Thrown if a calendar can't be used. The message completes a sentence that starts with `HOLIDAYS_FILE`. */
export class HolidaysError extends SiteError {
  override readonly name = 'HolidaysError';
}

/** Yearly events are listed for this many years before and after the current one. */
const PAST_YEARS = 4;
const FUTURE_YEARS = 6;

/** Parses a whole day from the file's text, because ical.js turns 2026-13-45 into a day in 2027. */
function readDay(property: ICAL.Property): Temporal.PlainDate {
  const text = String((property.toJSON() as readonly unknown[])[3]);
  if (property.type !== 'date') throw new HolidaysError(`with a time of day (${text}); only whole days can be holidays`);
  try {
    return Temporal.PlainDate.from(text);
  } catch {
    throw new HolidaysError(`with a day that doesn't exist (${text})`);
  }
}

/** Returns how many days an event lasts. */
function readLength(event: ICAL.Component, start: Temporal.PlainDate): number {
  const end = event.getFirstProperty('dtend');
  const duration = String(event.getFirstPropertyValue('duration') ?? 'P1D');
  const { days } = start.until(end ? readDay(end) : start.add(duration));
  if (days < 1) throw new HolidaysError("which doesn't end after it begins");

  return days;
}

/** Lists the start dates of a yearly event. Skips February 29 in years that aren't leap years. */
function listFirstDays(rule: ICAL.Recur, start: Temporal.PlainDate, thisYear: number): Temporal.PlainDate[] {
  const month = `BYMONTH=${start.month}`;
  const date = `${month};BYMONTHDAY=${start.day}`;
  const known = ['FREQ=YEARLY', `${month};FREQ=YEARLY`, `${date};FREQ=YEARLY`];
  if (!known.includes(rule.toString().split(';').sort().join(';'))) {
    throw new HolidaysError(`with a rule that the site doesn't follow (${rule.toString()}); make each of its days an event`);
  }
  const years = Array.from({ length: PAST_YEARS + 1 + FUTURE_YEARS }, (_, index) => thisYear - PAST_YEARS + index);

  return years
    .filter((year) => year >= start.year)
    .map((year) => start.with({ year }))
    .filter(({ day }) => day === start.day);
}

function listSpans(event: ICAL.Component, timeZone: string, thisYear: number): TimeSpan[] {
  const start = event.getFirstProperty('dtstart');
  if (!start) throw new HolidaysError('without a start');
  const other = ['rdate', 'exdate', 'exrule', 'recurrence-id'].find((name) => event.hasProperty(name));
  if (other) throw new HolidaysError(`with ${other.toUpperCase()}; make each of its days an event`);
  const firstDay = readDay(start);
  const days = readLength(event, firstDay);
  const rule = event.getFirstPropertyValue('rrule');
  const starts = rule instanceof ICAL.Recur ? listFirstDays(rule, firstDay, thisYear) : [firstDay];
  if (event.getFirstPropertyValue('status') === 'CANCELLED') return [];

  return starts.map((date) => ({
    start: date.toZonedDateTime(timeZone).epochMilliseconds,
    end: date.add({ days }).toZonedDateTime(timeZone).epochMilliseconds,
  }));
}

function parseEvents(text: string): ICAL.Component[] {
  let calendars: ICAL.Component[];
  try {
    // `parse` returns a list if the file has several calendars.
    const parsed = ICAL.parse(text) as [unknown, ...unknown[]];
    calendars = (Array.isArray(parsed[0]) ? parsed : [parsed]).map(
      (jcal) => new ICAL.Component(jcal as ConstructorParameters<typeof ICAL.Component>[0]),
    );
  } catch (error) {
    // ical.js throws a TypeError for a line outside any component.
    const reason = error instanceof Error && !(error instanceof TypeError) ? ` (${error.message})` : '';
    throw new HolidaysError(`is not an iCalendar file that can be read${reason}`);
  }
  const events = calendars.flatMap((calendar) =>
    calendar.name === 'vcalendar' ? calendar.getAllSubcomponents('vevent') : [],
  );
  if (events.length === 0) throw new HolidaysError('is not an iCalendar file with events (VEVENT)');

  return events;
}

function nameEvent(event: ICAL.Component): string {
  const text = event.getFirstPropertyValue('summary') ?? event.getFirstPropertyValue('uid');

  return typeof text === 'string' && text !== '' ? `the event “${text}”` : 'an event without a name';
}

/** Returns an iCalendar file's holidays. Lists yearly ones from four years before `now` until six years after. */
export function readHolidays(text: string, timeZone: string, now: number): TimeSpan[] {
  return parseEvents(text).flatMap((event) => {
    try {
      return listSpans(event, timeZone, new Date(now).getUTCFullYear());
    } catch (error) {
      const reason = error instanceof HolidaysError ? error.message : "that can't be understood";
      throw new HolidaysError(`has ${nameEvent(event)} ${reason}`);
    }
  });
}
