import { nowPlusMs, type Database } from '../database/database.ts';
import { HAS_NO_HOLD } from '../deliveries/delivery-table.ts';

/*
 * The sole owner of the table `digests`. The day and the time are those of PostgreSQL's
 * clock.
 */

/** A day whose digest this process alone may send until its lease ends. */
export interface ClaimedDigest {
  /** In the configured time zone, e.g. `2026-11-21`. */
  readonly day: string;
  /** This attempt included. */
  readonly attempts: number;
}

interface DigestTime {
  readonly timeZone: string;
  /** Minutes after midnight. */
  readonly digestAt: number;
  /** In milliseconds. */
  readonly lease: number;
}

/**
 * Claims today's digest until the lease ends, if it is due, deliveries are not on hold, and no other worker
 * has sent or claimed it: of any number of workers at most one gets it.
 */
export async function claimDigest(
  database: Database,
  { timeZone, digestAt, lease }: DigestTime,
): Promise<ClaimedDigest | undefined> {
  const { rows } = await database.raw<{ rows: ClaimedDigest[] }>(
    `with local as (select now() at time zone ?::text as time)
     insert into digests as known (day, attempts, lease_until)
     select time::date, 1, ? from local
     where extract(hour from time) * 60 + extract(minute from time) >= ? and ${HAS_NO_HOLD}
     on conflict (day) do update
       set attempts = known.attempts + 1, lease_until = excluded.lease_until
       where known.sent_at is null and known.lease_until < now()
     returning day::text, attempts`,
    [timeZone, nowPlusMs(database, lease), digestAt],
  );

  return rows[0];
}

/** The day, while no later attempt has claimed it. */
const claimedDay = (database: Database, { day, attempts }: ClaimedDigest) =>
  database('digests').where({ day, attempts });

/**
 * Records that the day's digest is about to be sent, or that there is nothing to list.
 * @returns false when another worker has claimed the day since
 */
export async function recordDigestSent(database: Database, claimed: ClaimedDigest): Promise<boolean> {
  const count = await claimedDay(database, claimed)
    .whereNull('sent_at')
    .update({ sent_at: database.fn.now() });

  return count === 1;
}

/** Releases the day, whose digest was certainly not sent, for another attempt in `delayMs`. */
export async function rescheduleDigest(
  database: Database,
  claimed: ClaimedDigest,
  delayMs: number,
): Promise<void> {
  await claimedDay(database, claimed).update({
    sent_at: null,
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

/** Deletes the digests of days more than `months` ago. */
export async function deleteOldDigests(database: Database, months: number): Promise<void> {
  await database('digests').whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
}
