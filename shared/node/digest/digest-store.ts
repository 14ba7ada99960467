import { addMs, type Database } from '../database/database.ts';
import { IS_NOT_HELD } from '../deliveries/delivery-table.ts';

/*
 * The sole owner of the table `digests`. What day it is, and whether its hour has come, is
 * PostgreSQL's clock's to say.
 */

/** A day whose digest this process alone may send until its lease ends. */
export interface ClaimedDigest {
  /** In the configured time zone, e.g. `2026-11-21`. */
  readonly day: string;
  /** This try included. */
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
 * Takes today's digest for as long as the lease, if its time has come, nothing is held back, and
 * nobody has sent it or is at it: of any number of workers at most one gets it.
 */
export async function claimDigest(
  database: Database,
  { timeZone, digestAt, lease }: DigestTime,
): Promise<ClaimedDigest | undefined> {
  const { rows } = await database.raw<{ rows: ClaimedDigest[] }>(
    `with local as (select now() at time zone ?::text as time)
     insert into digests as known (day, attempts, lease_until)
     select time::date, 1, ? from local
     where extract(hour from time) * 60 + extract(minute from time) >= ? and ${IS_NOT_HELD}
     on conflict (day) do update
       set attempts = known.attempts + 1, lease_until = excluded.lease_until
       where known.sent_at is null and known.lease_until < now()
     returning day::text, attempts`,
    [timeZone, addMs(database, lease), digestAt],
  );

  return rows[0];
}

/** The day, while no later try has taken it. */
const ownDay = (database: Database, { day, attempts }: ClaimedDigest) =>
  database('digests').where({ day, attempts });

/**
 * Notes that the day's digest is about to be sent, or that there is nothing to tell.
 * @returns false when the day isn't ours any more
 */
export async function markDigestSent(database: Database, claimed: ClaimedDigest): Promise<boolean> {
  const count = await ownDay(database, claimed)
    .whereNull('sent_at')
    .update({ sent_at: database.fn.now() });

  return count === 1;
}

/** Gives the day, whose digest was surely not sent, back for another try in `delayMs`. */
export async function rescheduleDigest(
  database: Database,
  claimed: ClaimedDigest,
  delayMs: number,
): Promise<void> {
  await ownDay(database, claimed).update({
    sent_at: null,
    lease_until: addMs(database, delayMs),
  });
}

/**
 * The days whose digest may have told of what was open from `from` to `to`; one more at either end,
 * for the time zone of back then.
 */
export async function listDigestDays(database: Database, from: Date, to: Date): Promise<string[]> {
  const rows = await database('digests')
    .whereRaw("day between ?::date - 1 and ?::date + 1", [from.toISOString(), to.toISOString()])
    .orderBy('day')
    .select<Array<{ day: string }>>(database.raw('day::text as day'));

  return rows.map(({ day }) => day);
}

/** Forgets the digests of days more than `months` ago. */
export async function deleteOldDigests(database: Database, months: number): Promise<void> {
  await database('digests').whereRaw('day < now() - make_interval(months => ?)', [months]).delete();
}
