import { Day } from '../../time.ts';
import type { BusinessCalendar } from './business-calendar.ts';

/** A deadline for PostgreSQL: what begins from `from[i]` on has it `waits[i]` ms later, by `latest[i]`. */
interface DeadlineTable {
  /** In order. PostgreSQL's `-infinity` is before everything. */
  readonly from: ReadonlyArray<Date | '-infinity'>;
  readonly waits: readonly number[];
  readonly latest: ReadonlyArray<Date | 'infinity'>;
}

export interface Deadline {
  readonly after: (start: Date) => Date;
  /** Of the last six weeks, or since an earlier time, and the next days; what began before is over. */
  readonly toTable: (since?: Date) => DeadlineTable;
}

/** Ends when so many milliseconds have passed, so that 24 hours are as long on the day the clocks change. */
export function createElapsedDeadline(duration: number): Deadline {
  const table: DeadlineTable = { from: ['-infinity'], waits: [duration], latest: ['infinity'] };

  return { after: (start) => new Date(start.getTime() + duration), toTable: () => table };
}

/** Longer than what is counted of the past (30 days), and than clocks differ. */
const TABLE_PAST = 45 * Day;
const TABLE_FUTURE = 10 * Day;

/** Ends when so many milliseconds of open time have passed. */
export function createBusinessDeadline(calendar: BusinessCalendar, duration: number): Deadline {
  const add = (time: number) => calendar.addOpenTime(time, duration);

  function findTableStart(now: number, since: Date | undefined): number {
    let start = Math.min(now - TABLE_PAST, since?.getTime() ?? now);
    while (add(start) > now) start -= TABLE_PAST;

    return start;
  }

  /** When the next span closes whose end a deadline may be. */
  const findClosing = (time: number): number => calendar.listOpenSpans(time - 1).next().value?.end ?? time;

  /** The moments at which deadlines stand still, move on or jump, each a millisecond after. */
  function listBreakpoints(start: number, end: number): number[] {
    const breakpoints = [start];
    // Those of the days on which it begins and ends, too.
    for (const span of calendar.listOpenSpans(start, Math.ceil((end - start) / Day) + 2)) {
      if (span.start > end) break;
      let breakpoint = Math.max(start, span.start) + 1;
      while (breakpoint <= span.end) {
        breakpoints.push(breakpoint);
        const deadline = add(breakpoint);
        breakpoint += findClosing(deadline) - deadline + 1;
      }
      breakpoints.push(span.end + 1);
    }

    return breakpoints;
  }

  function toTable(since?: Date): DeadlineTable {
    const now = Date.now();
    const start = findTableStart(now, since);
    const breakpoints = [...new Set(listBreakpoints(start, now + TABLE_FUTURE))];

    return {
      from: ['-infinity', ...breakpoints.map((breakpoint) => new Date(breakpoint))],
      waits: [0, ...breakpoints.map((breakpoint) => add(breakpoint) - breakpoint)],
      latest: [
        new Date(start),
        ...breakpoints.map((breakpoint, index) => new Date(add((breakpoints[index + 1] ?? breakpoint + 1) - 1))),
      ],
    };
  }

  return { after: (start) => new Date(add(start.getTime())), toTable };
}
