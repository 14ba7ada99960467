import { formatCount } from '../../format-count.ts';
import type { PromiseWords } from '../../site.ts';
import { Hour, Minute, Second } from '../../time.ts';
import { describeWeeklyHours } from './weekly-hours.ts';
import { Temporal } from 'temporal-polyfill';
import {
  NoOpenTimeError,
  type BusinessCalendar,
  createBusinessCalendar,
  type BusinessTime,
} from './business-calendar.ts';
import { createBusinessDeadline, createElapsedDeadline, type Deadline } from './deadline.ts';

/** FOLLOW_UP_AFTER in the specification. This value makes all texts match the specification word for word. */
const SPECIFIED_WAIT = 24 * Hour;

const units = [
  [Hour, 'hour'],
  [Minute, 'minute'],
  [Second, 'second'],
] as const;

/** Formats a duration: `8 business hours`, `90 minutes`. */
function writeDuration(duration: number, prefix: string): string {
  const [unit, name] = units.find(([length]) => duration % length === 0) ?? [Second, 'second'];

  return formatCount(duration / unit, `${prefix}${name}`);
}

/** Returns the promise in words, or undefined for the specification's default. */
export function writePromise({ dueAfter, businessTime }: PromiseSettings): PromiseWords | undefined {
  if (!businessTime && dueAfter === SPECIFIED_WAIT) return undefined;
  const short = `within ${writeDuration(dueAfter, businessTime ? 'business ' : '')}`;
  if (!businessTime) return { short, full: short };
  const { hours, timeZone, closures } = businessTime;
  const holidays = closures.length > 0 ? ', except holidays' : '';

  return { short, full: `${short} (${describeWeeklyHours(hours)}, ${timeZone}${holidays})` };
}

/** Local time at which a morning starts if there are no business hours. */
const MORNING = '09:00';

/** Returns the first morning after a time: the first opening of a day, or 9:00 without business hours. */
function findNextMorning(now: Date, timeZone: string, calendar: BusinessCalendar | undefined): Date {
  const toZoned = (time: number) => Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  const today = toZoned(now.getTime()).toPlainDate();
  if (!calendar) {
    const mornings = [today, today.add({ days: 1 })].map(
      (day) => day.toZonedDateTime({ timeZone, plainTime: MORNING }).epochMilliseconds,
    );

    return new Date(Math.min(...mornings.filter((morning) => morning > now.getTime())));
  }
  let last = '';
  for (const { start } of calendar.listOpenSpans(today.toZonedDateTime(timeZone).epochMilliseconds)) {
    const day = toZoned(start).toPlainDate().toString();
    if (day !== last && start > now.getTime()) return new Date(start);
    last = day;
  }
  throw new NoOpenTimeError();
}

/** The times of reminders to sales, and the deadline promised to the visitor. */
export type ResponsePromise = ReturnType<typeof createResponsePromise>;

export interface PromiseSettings {
  /** Milliseconds from receiving a request to each mail, in open time if there are business hours. */
  readonly reminderAfter: number;
  readonly dueAfter: number;
  /** Undefined if there are no business hours. */
  readonly businessTime?: BusinessTime | undefined;
}

/** Creates the promise from the settings. */
export function createResponsePromise(settings: PromiseSettings) {
  const { reminderAfter, dueAfter, businessTime } = settings;
  const calendar = businessTime && createBusinessCalendar(businessTime);
  const createDeadline = (duration: number): Deadline =>
    calendar ? createBusinessDeadline(calendar, duration) : createElapsedDeadline(duration);

  return {
    reminder: createDeadline(reminderAfter),
    answer: createDeadline(dueAfter),
    /** Whether the deadlines count business hours only. */
    isBusinessTime: calendar !== undefined,
    /** Returns the first morning after a time. `timeZone` applies if there are no business hours. */
    findNextMorning: (now: Date, timeZone: string): Date => findNextMorning(now, timeZone, calendar),
    /** Subject of the mail to sales at the promised time, without the company name. */
    dueSubject: dueAfter === SPECIFIED_WAIT ? '24 h follow-up due' : 'Follow-up due',
  };
}
