import { Temporal } from 'temporal-polyfill';
import { SiteError } from '../logging/describe-error.ts';
import type { WeeklyHours } from './weekly-hours.ts';

/** A span of time, in milliseconds since 1970. `end` is exclusive. */
export interface TimeSpan {
  readonly start: number;
  readonly end: number;
}

export interface BusinessTime {
  readonly hours: WeeklyHours;
  /** IANA name of the time zone that `hours` refers to. */
  readonly timeZone: string;
  /** Holidays, in any order. They may overlap. */
  readonly closures: readonly TimeSpan[];
}

/** Thrown if there is too little open time in the next five years. */
export class NoOpenTimeError extends SiteError {
  override readonly name = 'NoOpenTimeError';

  constructor() {
    super(`There is not enough open time within ${MAX_DAYS} days.`);
  }
}

/** How many days ahead to search for open time. */
const MAX_DAYS = 5 * 366;

/** A calendar that counts open time. Times are in milliseconds since 1970. */
export type BusinessCalendar = ReturnType<typeof createBusinessCalendar>;

/** Converts a local time. Skipped times become the moment clocks go forward, repeated ones their first occurrence. */
function toInstant(date: Temporal.PlainDate, minutes: number, timeZone: string): number {
  const day = date.add({ days: Math.floor(minutes / (24 * 60)) });
  const wall = day.toPlainDateTime({ hour: Math.floor(minutes / 60) % 24, minute: minutes % 60 });
  const before = wall.toZonedDateTime(timeZone, { disambiguation: 'earlier' });
  const isSkipped = !before.toPlainDateTime().equals(wall);
  const time = isSkipped ? before.getTimeZoneTransition('next') : before;

  return (time ?? before).epochMilliseconds;
}

function subtract(span: TimeSpan, { start, end }: TimeSpan): TimeSpan[] {
  if (end <= span.start || start >= span.end) return [span];

  return [
    { start: span.start, end: start },
    { start: end, end: span.end },
  ].filter((rest) => rest.start < rest.end);
}

/** Creates a calendar from business hours. Computes each day only once. */
export function createBusinessCalendar({ hours, timeZone, closures }: BusinessTime) {
  const knownDays = new Map<string, readonly TimeSpan[]>();

  function computeDay(date: Temporal.PlainDate): readonly TimeSpan[] {
    const ranges = hours[date.dayOfWeek - 1] ?? [];
    const spans = ranges
      .map(({ from, to }) => ({
        start: toInstant(date, from, timeZone),
        end: toInstant(date, to, timeZone),
      }))
      .filter(({ start, end }) => start < end);

    return closures.reduce<readonly TimeSpan[]>(
      (open, closure) => open.flatMap((span) => subtract(span, closure)),
      spans,
    );
  }

  function readDay(date: Temporal.PlainDate): readonly TimeSpan[] {
    const key = date.toString();
    const spans = knownDays.get(key) ?? computeDay(date);
    knownDays.set(key, spans);

    return spans;
  }

  /** Lists five years of open spans that end after `time`, in order. Spans may meet at midnight. */
  function* listOpenSpans(time: number): Generator<TimeSpan, undefined> {
    let date = Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone).toPlainDate();
    for (let day = 0; day < MAX_DAYS; day += 1) {
      for (const span of readDay(date)) if (span.end > time) yield span;
      date = date.add({ days: 1 });
    }
  }

  /** Returns when `duration` ms of open time will have passed. @throws NoOpenTimeError */
  function addOpenTime(time: number, duration: number): number {
    let rest = duration;
    for (const { start, end } of listOpenSpans(time)) {
      const from = Math.max(start, time);
      if (rest <= end - from) return from + rest;
      rest -= end - from;
    }
    throw new NoOpenTimeError();
  }

  return { addOpenTime, listOpenSpans };
}
