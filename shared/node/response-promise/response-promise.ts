import { createBusinessCalendar, type BusinessTime } from './business-calendar.ts';
import { createBusinessDeadline, createElapsedDeadline, type Deadline } from './deadline.ts';

/** What sales promises a visitor: when they are reminded of a request, and by when it is answered. */
export interface ResponsePromise {
  readonly reminder: Deadline;
  readonly answer: Deadline;
  /** Both count business hours, and not all time. */
  readonly isBusinessTime: boolean;
}

/** The settings of the promise. */
export interface PromiseSettings {
  /** Milliseconds from receiving a request to each mail: of open time where there are business hours. */
  readonly reminderAfter: number;
  readonly dueAfter: number;
  /** Undefined: all time counts. */
  readonly businessTime?: BusinessTime | undefined;
}

/** Makes the promise that the settings describe. */
export function createResponsePromise({ reminderAfter, dueAfter, businessTime }: PromiseSettings): ResponsePromise {
  if (!businessTime) {
    return {
      reminder: createElapsedDeadline(reminderAfter),
      answer: createElapsedDeadline(dueAfter),
      isBusinessTime: false,
    };
  }
  const calendar = createBusinessCalendar(businessTime);

  return {
    reminder: createBusinessDeadline(calendar, reminderAfter),
    answer: createBusinessDeadline(calendar, dueAfter),
    isBusinessTime: true,
  };
}
