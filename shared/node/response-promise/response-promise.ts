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

/** The specification's FOLLOW_UP_AFTER, in milliseconds: with it every text is the specification's to the letter. */
const SPECIFIED_WAIT = 24 * Hour;

const units = [
  [Hour, 'hour'],
  [Minute, 'minute'],
  [Second, 'second'],
] as const;

/** `8 business hours`, `90 minutes` */
function writeDuration(duration: number, prefix: string): string {
  const [unit, name] = units.find(([length]) => duration % length === 0) ?? [Second, 'second'];

  return formatCount(duration / unit, `${prefix}${name}`);
}

/** Says the promise by the settings it is counted with; undefined for the specification's. */
export function writePromise({ dueAfter, businessTime }: PromiseSettings): PromiseWords | undefined {
  if (!businessTime && dueAfter === SPECIFIED_WAIT) return undefined;
  const short = `within ${writeDuration(dueAfter, businessTime ? 'business ' : '')}`;
  if (!businessTime) return { short, full: short };
  const { hours, timeZone, closures } = businessTime;
  const holidays = closures.length > 0 ? ', except holidays' : '';

  return { short, full: `${short} (${describeWeeklyHours(hours)}, ${timeZone}${holidays})` };
}

/** When a morning begins where there are no business hours, by the clock on the wall. */
const MORNING = '09:00';

/** The first morning after a time: when business opens, or 9:00 without business hours. */
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

/** What sales promises a visitor: when they are reminded of a request, and by when it is answered. */
export type ResponsePromise = ReturnType<typeof createResponsePromise>;

export interface PromiseSettings {
  /** Milliseconds from receiving a request to each mail: of open time where there are business hours. */
  readonly reminderAfter: number;
  readonly dueAfter: number;
  /** Undefined: all time counts. */
  readonly businessTime?: BusinessTime | undefined;
}

/** Makes the promise that the settings describe. */
export function createResponsePromise(settings: PromiseSettings) {
  const { reminderAfter, dueAfter, businessTime } = settings;
  const calendar = businessTime && createBusinessCalendar(businessTime);
  const createDeadline = (duration: number): Deadline =>
    calendar ? createBusinessDeadline(calendar, duration) : createElapsedDeadline(duration);

  return {
    reminder: createDeadline(reminderAfter),
    answer: createDeadline(dueAfter),
    /** Both count business hours, and not all time. */
    isBusinessTime: calendar !== undefined,
    /** The first morning after a time; `timeZone` is for a promise without business hours. */
    findNextMorning: (now: Date, timeZone: string): Date => findNextMorning(now, timeZone, calendar),
    /** The subject, without the company, of the mail to sales at the promised time. */
    dueSubject: dueAfter === SPECIFIED_WAIT ? '24 h follow-up due' : 'Follow-up due',
  };
}
