import type { Database } from '../database/database.ts';
import { DELIVERIES } from './delivery-table.ts';

/*
 * Deliveries that a sweep plans: their subject has no table of its own. Of any number of workers one plans each.
 */

interface ReportTime {
  readonly timeZone: string;
  /** Minutes after the midnight before Monday. */
  readonly reportAt: number;
}

/** The week of the last time at which a report was due: its Monday, at midnight. `time` is the local time. */
const REPORT_WEEK = "date_trunc('week', time - make_interval(mins => cast(:reportAt as integer)))";

/**
 * Plans this week's report once it is due; its subject is the week's Monday in the time zone, such as `2026-11-16`. One
 * that was missed on its day is due until the next, unless it would be the first: whoever sets a time for reports waits
 * for that time.
 */
export async function planReport(database: Database, { timeZone, reportAt }: ReportTime): Promise<void> {
  await database.raw(
    `with local as (select now() at time zone cast(:timeZone as text) as time)
    insert into ${DELIVERIES} (kind, subject, due_at)
    select 'report', ${REPORT_WEEK}::date::text, now() from local
    where (${REPORT_WEEK} + make_interval(mins => cast(:reportAt as integer)))::date = time::date
      or exists (select from ${DELIVERIES} where kind = 'report' and subject < ${REPORT_WEEK}::date::text)
    on conflict do nothing`,
    { timeZone, reportAt },
  );
}

/** Deletes the sent and cancelled ones that were due more than `months` ago. */
export async function deleteOldPlanned(database: Database, months: number): Promise<void> {
  await database(DELIVERIES)
    .whereNotNull('subject')
    .whereIn('state', ['sent', 'cancelled'])
    .whereRaw('due_at < now() - make_interval(months => ?)', [months])
    .delete();
}
