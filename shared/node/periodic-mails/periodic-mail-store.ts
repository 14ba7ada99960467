import { isOver, nowPlusMs, type Database } from '../database/database.ts';
import { HAS_NO_HOLD } from '../deliveries/delivery-table.ts';

/*
 * The sole owner of the tables `digests` and `reports`: one row per day, or per week, whose mail was begun. Days and
 * times are those of PostgreSQL's clock.
 */

type PeriodicMailTable = 'digests' | 'reports';

/** A day or a week whose mail this process alone may send until its lease ends. */
export interface ClaimedPeriod {
  readonly table: PeriodicMailTable;
  /** The day, or the week's Monday, in the configured time zone, e.g. `2026-11-21`. */
  readonly day: string;
  /** This attempt included. */
  readonly attempts: number;
  /** Who alone is to get it: they refused it for the moment, while others took it. Null: all. */
  readonly recipients: readonly string[] | null;
}

/** SQL about `time`, the local time. */
interface Period {
  readonly table: PeriodicMailTable;
  readonly day: string;
  readonly isDue: string;
  readonly bindings: Readonly<Record<string, number>>;
}

interface ClaimSettings {
  readonly timeZone: string;
  /** In milliseconds. */
  readonly lease: number;
  /** Milliseconds after which those who refused the mail for the moment go without. */
  readonly giveUpAfter: number;
}

/**
 * Claims the mail of the current period until the lease ends, if it is due, deliveries are not on hold, and no
 * other worker has sent or claimed it, or some of its recipients still wait for it: of any number of workers at
 * most one gets it.
 */
async function claimPeriod(
  database: Database,
  { table, day, isDue, bindings }: Period,
  { timeZone, lease, giveUpAfter }: ClaimSettings,
): Promise<ClaimedPeriod | undefined> {
  const { rows } = await database.raw<{ rows: Array<Omit<ClaimedPeriod, 'table'>> }>(
    `with local as (select now() at time zone cast(:timeZone as text) as time)
     insert into ${table} as known (day, attempts, lease_until)
     select ${day}, 1, :leaseUntil from local
     where ${isDue} and ${HAS_NO_HOLD}
     on conflict (day) do update
       set attempts = known.attempts + 1, lease_until = excluded.lease_until
       where (known.sent_at is null or known.recipients is not null and known.sent_at > :giveUpBefore)
         and ${isOver('known.lease_until')}
     returning day::text, attempts, recipients`,
    {
      ...bindings,
      timeZone,
      leaseUntil: nowPlusMs(database, lease),
      giveUpBefore: nowPlusMs(database, -giveUpAfter),
    },
  );

  return rows[0] && { table, ...rows[0] };
}

/**
 * Claims today's digest.
 * @param digestAt minutes after midnight
 */
export const claimDigest = (
  database: Database,
  { digestAt, ...settings }: ClaimSettings & { readonly digestAt: number },
): Promise<ClaimedPeriod | undefined> =>
  claimPeriod(
    database,
    {
      table: 'digests',
      day: 'time::date',
      isDue: 'extract(hour from time) * 60 + extract(minute from time) >= :digestAt',
      bindings: { digestAt },
    },
    settings,
  );

/** The week of the last time that a report was due: its Monday, at midnight. */
const REPORT_WEEK = "date_trunc('week', time - make_interval(mins => cast(:reportAt as integer)))";

/**
 * Claims this week's report. One that was missed on its day is due until the next, unless it would be the first:
 * whoever sets a time for reports waits for that time.
 * @param reportAt minutes after the midnight before Monday
 */
export const claimReport = (
  database: Database,
  { reportAt, ...settings }: ClaimSettings & { readonly reportAt: number },
): Promise<ClaimedPeriod | undefined> =>
  claimPeriod(
    database,
    {
      table: 'reports',
      day: `${REPORT_WEEK}::date`,
      isDue: `((${REPORT_WEEK} + make_interval(mins => cast(:reportAt as integer)))::date = time::date
        or exists (select from reports where day < ${REPORT_WEEK}::date))`,
      bindings: { reportAt },
    },
    settings,
  );

/** The period, while no later attempt has claimed it. */
const claimedRow = (database: Database, { table, day, attempts }: ClaimedPeriod) =>
  database(table).where({ day, attempts });

/**
 * Records that the period's mail is about to be sent, or that there is nothing to say, or nobody to say it to.
 * @returns false when another worker has claimed the period since
 */
export async function recordPeriodDone(database: Database, claimed: ClaimedPeriod): Promise<boolean> {
  const count = await claimedRow(database, claimed).update({
    sent_at: database.raw('coalesce(sent_at, now())'),
    recipients: null,
  });

  return count === 1;
}

/**
 * Releases the period for another attempt in `delayMs`.
 * @param recipients who alone is to get its mail; null: all, and it was certainly sent to nobody
 */
export async function reschedulePeriod(
  database: Database,
  claimed: ClaimedPeriod,
  { delayMs, recipients }: { readonly delayMs: number; readonly recipients: readonly string[] | null },
): Promise<void> {
  await claimedRow(database, claimed).update({
    ...(recipients ? { recipients: [...recipients] } : { sent_at: null }),
    lease_until: nowPlusMs(database, delayMs),
  });
}

/**
 * The days whose digest may list what was open from `from` to `to`; one more at either end, for the time
 * zone configured then.
 */
export async function listDigestDays(database: Database, from: Date, to: Date): Promise<string[]> {
  const rows = await database('digests')
    .whereRaw("day between ?::date - 1 and ?::date + 1", [from.toISOString(), to.toISOString()])
    .orderBy('day')
    .select<Array<{ day: string }>>(database.raw('day::text as day'));

  return rows.map(({ day }) => day);
}

/** Deletes the periods more than `months` ago. */
export async function deleteOldPeriods(database: Database, months: number): Promise<void> {
  for (const table of ['digests', 'reports'] as const) {
    await database(table).whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
  }
}
