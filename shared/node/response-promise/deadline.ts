import { Day } from '../../time.ts';
import type { BusinessCalendar } from './business-calendar.ts';

/** Data that PostgreSQL needs to compute deadlines: the open spans, and the open time until the deadline. */
interface DeadlineTable {
  /** Starts of the open spans, in order. */
  readonly starts: Date[];
  /** Open time before each span, in milliseconds. */
  readonly openBefore: number[];
  /** In milliseconds. */
  readonly duration: number;
}

export interface Deadline {
  readonly after: (start: Date) => Date;
  /** Covers starts in the last six weeks, or since an earlier time. Deadlines for older starts have passed. */
  readonly toTable: (since?: Date) => DeadlineTable;
}

/** Creates a deadline in elapsed time, which clock changes don't affect. */
export const createElapsedDeadline = (duration: number): Deadline => ({
  after: (start) => new Date(start.getTime() + duration),
  toTable: () => ({ starts: [new Date(0)], openBefore: [0], duration }),
});

/** Covers the 30 days that metrics count, and allows for a difference between clocks. */
const TABLE_PAST = 45 * Day;
const TABLE_FUTURE = 10 * Day;

/** Creates a deadline in open time. */
export function createBusinessDeadline({ addOpenTime, listOpenSpans }: BusinessCalendar, duration: number): Deadline {
  function findTableStart(now: number, since: Date | undefined): number {
    let start = Math.min(now - TABLE_PAST, since?.getTime() ?? now);
    while (addOpenTime(start, duration) > now) start -= TABLE_PAST;

    return start;
  }

  function toTable(since?: Date): DeadlineTable {
    const now = Date.now();
    const end = addOpenTime(now + TABLE_FUTURE, duration);
    const starts: Date[] = [];
    const openBefore: number[] = [];
    let open = 0;
    for (const span of listOpenSpans(findTableStart(now, since))) {
      if (span.start > end) break;
      starts.push(new Date(span.start));
      openBefore.push(open);
      open += span.end - span.start;
    }

    return { starts, openBefore, duration };
  }

  return { after: (start) => new Date(addOpenTime(start.getTime(), duration)), toTable };
}
