import { createBusinessCalendar, type BusinessTime } from './business-calendar.ts';
import { createBusinessDeadline, createElapsedDeadline, type Deadline } from './deadline.ts';
import { findNextMorning } from './next-morning.ts';
import { writeDueSubject } from './write-promise.ts';

/** What sales promises a visitor: when they are reminded of a request, and by when it is answered. */
export interface ResponsePromise {
  readonly reminder: Deadline;
  readonly answer: Deadline;
  /** Both count business hours, and not all time. */
  readonly isBusinessTime: boolean;
  /** The first morning after a time; `timeZone` is for a promise without business hours. */
  readonly findNextMorning: (now: Date, timeZone: string) => Date;
  /** The subject, without the company, of the mail to sales at the promised time. */
  readonly dueSubject: string;
}

export interface PromiseSettings {
  /** Milliseconds from receiving a request to each mail: of open time where there are business hours. */
  readonly reminderAfter: number;
  readonly dueAfter: number;
  /** Undefined: all time counts. */
  readonly businessTime?: BusinessTime | undefined;
}

/** Makes the promise that the settings describe. */
export function createResponsePromise(settings: PromiseSettings): ResponsePromise {
  const { reminderAfter, dueAfter, businessTime } = settings;
  const calendar = businessTime && createBusinessCalendar(businessTime);
  const createDeadline = (duration: number) =>
    calendar ? createBusinessDeadline(calendar, duration) : createElapsedDeadline(duration);

  return {
    reminder: createDeadline(reminderAfter),
    answer: createDeadline(dueAfter),
    isBusinessTime: calendar !== undefined,
    findNextMorning: (now, timeZone) => findNextMorning(now, timeZone, calendar),
    dueSubject: writeDueSubject(settings),
  };
}
