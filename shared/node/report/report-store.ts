import { isOver, nowPlusMs, type Database } from '../database/database.ts';
import { HAS_NO_HOLD } from '../deliveries/delivery-table.ts';

/*
 * The sole owner of the table `reports`: one row per week whose report was begun. Days and times are those of
 * PostgreSQL's clock.
 */

const REPORTS = 'reports';

/** A week whose report this process alone may send until its lease ends. */
export interface ClaimedReport {
  /** The week's Monday in the configured time zone, such as `2026-11-16`. */
  readonly day: string;
  /** This attempt included. */
  readonly attempts: number;
  /** The recipients that refused it temporarily, while others accepted it. Null: all. */
  readonly recipients: readonly string[] | null;
}

interface ClaimSettings {
  readonly timeZone: string;
  /** Minutes after the midnight before Monday. */
  readonly reportAt: number;
  /** In milliseconds. */
  readonly lease: number;
  /** Milliseconds after which recipients that refused the report temporarily no longer get it. */
  readonly giveUpAfter: number;
}

/** The week of the last time at which a report was due: its Monday, at midnight. `time` is the local time. */
const REPORT_WEEK = "date_trunc('week', time - make_interval(mins => cast(:reportAt as integer)))";

/**
 * Claims this week's report until the lease ends, if it is due, deliveries are not on hold, and no other worker has
 * sent or claimed it, or some of its recipients still wait for it: of any number of workers at most one gets it. One
 * that was missed on its day is due until the next, unless it would be the first: whoever sets a time for reports
 * waits for that time.
 */
export async function claimReport(
  database: Database,
  { timeZone, reportAt, lease, giveUpAfter }: ClaimSettings,
): Promise<ClaimedReport | undefined> {
  const { rows } = await database.raw<{ rows: ClaimedReport[] }>(
    `with local as (select now() at time zone cast(:timeZone as text) as time)
     insert into ${REPORTS} as known (day, attempts, lease_until)
     select ${REPORT_WEEK}::date, 1, :leaseUntil from local
     where ((${REPORT_WEEK} + make_interval(mins => cast(:reportAt as integer)))::date = time::date
         or exists (select from ${REPORTS} where day < ${REPORT_WEEK}::date))
       and ${HAS_NO_HOLD}
     on conflict (day) do update
       set attempts = known.attempts + 1, lease_until = excluded.lease_until
       where (known.sent_at is null or known.recipients is not null and known.sent_at > :giveUpBefore)
         and ${isOver('known.lease_until')}
     returning day::text, attempts, recipients`,
    {
      timeZone,
      reportAt,
      leaseUntil: nowPlusMs(database, lease),
      giveUpBefore: nowPlusMs(database, -giveUpAfter),
    },
  );

  return rows[0];
}

/** The report, while no later attempt has claimed it. */
const claimedRow = (database: Database, { day, attempts }: ClaimedReport) => database(REPORTS).where({ day, attempts });

/**
 * Records that the report is about to be sent, or that it has no recipient.
 * @returns false when another worker has claimed it since
 */
export async function recordReportDone(database: Database, claimed: ClaimedReport): Promise<boolean> {
  const count = await claimedRow(database, claimed).update({
    sent_at: database.raw('coalesce(sent_at, now())'),
    recipients: null,
  });

  return count === 1;
}

/**
 * Releases the report for another attempt in `delayMs`.
 * @param recipients the only ones that still get it; null: all, and it was certainly sent to nobody
 */
export async function rescheduleReport(
  database: Database,
  claimed: ClaimedReport,
  { delayMs, recipients }: { readonly delayMs: number; readonly recipients: readonly string[] | null },
): Promise<void> {
  await claimedRow(database, claimed).update({
    ...(recipients ? { recipients: [...recipients] } : { sent_at: null }),
    lease_until: nowPlusMs(database, delayMs),
  });
}

/** Deletes the records of reports older than `months`. */
export async function deleteOldReports(database: Database, months: number): Promise<void> {
  await database(REPORTS).whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
}
