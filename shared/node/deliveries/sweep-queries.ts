import { type DeliveryKind, type ScheduledDelivery, callKinds } from '../../deliveries/delivery.ts';
import { Minute } from '../../time.ts';
import { type Database, nowPlusMs } from '../database/database.ts';
import { SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { listKindsWithProvider } from './delivery-pauses.ts';
import {
  CLAIMABLE_AT,
  DELIVERIES,
  IS_AT_MOST_ONCE,
  IS_WANTED,
  selectMsUntil,
  toScheduled,
  type DeliveryRow,
  type ReadyRow,
  listInSql,
  NO_PROVIDER,
} from './delivery-table.ts';
import { updateWanted } from './outcome-mails.ts';

const PAGE_SIZE = 500;

interface ExpiredLeases {
  readonly returned: number;
  readonly dead: readonly string[];
}

interface ExpiryLimits {
  /** Number of expired leases after which a delivery becomes dead, because it may be crashing the workers. */
  readonly maxExpiries: number;
  /**
   * Number of hand-overs with an unknown outcome after which a delivery is dead, because each retry may send it again.
   */
  readonly maxLostResponses: number;
}

/**
 * Sets deliveries with an expired lease back to pending. Those that have reached a limit become dead. Acknowledgments
 * that were handed over are cancelled.
 */
export async function releaseExpiredLeases(
  database: Database,
  { maxExpiries, maxLostResponses }: ExpiryLimits,
): Promise<ExpiredLeases> {
  const rows = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'leased' })
    .whereRaw('lease_until < now()')
    .update({
      state: database.raw(
        `case when ${IS_AT_MOST_ONCE} and handed_over_at is not null then 'cancelled'
        when lease_expiries + 1 >= ?
          or (handed_over_at is not null and lost_answers + 1 >= ?)
        then 'dead' else 'pending' end`,
        [maxExpiries, maxLostResponses],
      ),
      lease_expiries: database.raw('lease_expiries + 1'),
      lost_answers: database.raw('lost_answers + (handed_over_at is not null)::int'),
      lease_token: null,
      lease_until: null,
      last_error: 'lease-expired',
      maybe_duplicate: database.raw(
        "maybe_duplicate or handed_over_at is not null or kind = 'crm-export'",
      ),
    })
    .returning(['id', 'state']);

  const dead = rows.filter(({ state }) => state === 'dead').map(({ id }) => id);

  return { returned: rows.filter(({ state }) => state === 'pending').length, dead };
}

/** Cancels deliveries that requests no longer need, such as a mail that was being sent when its request was settled. */
export async function sweepUnwanted(database: Database): Promise<void> {
  const unwanted = database<DeliveryRow>(DELIVERIES)
    .whereRaw("(state = 'pending' or state = 'dead')")
    .whereIn('kind', await listKindsWithProvider(database))
    .whereRaw(`not ${IS_WANTED}`);
  await database.transaction(async (transaction) => {
    const ids = await transaction(SUBMISSIONS)
      .whereIn('id', unwanted.select('submission_id'))
      .forNoKeyUpdate()
      .skipLocked()
      .pluck<string[]>('id');
    await updateWanted(transaction, ids);
  });
}

interface OpenRow extends ReadyRow {
  /** As text, because a `Date` would lose the microseconds. */
  readonly due_text: string;
}

async function* listPendingOfKind(
  database: Database,
  kind: DeliveryKind,
): AsyncGenerator<readonly ScheduledDelivery[]> {
  let last: Pick<OpenRow, 'due_text' | 'id'> = {
    due_text: '-infinity',
    id: '00000000-0000-0000-0000-000000000000',
  };

  for (;;) {
    const rows = await database<DeliveryRow>(DELIVERIES)
      .where({ state: 'pending', kind })
      .whereRaw(IS_WANTED)
      .whereRaw('(due_at, id) > (?::timestamptz, ?::uuid)', [last.due_text, last.id])
      .orderBy(['due_at', 'id'])
      .limit(PAGE_SIZE)
      .select<OpenRow[]>(
        'id',
        'kind',
        database.raw(`${selectMsUntil(CLAIMABLE_AT)} as delay_ms`),
        database.raw('due_at::text as due_text'),
      );
    const end = rows.at(-1);
    if (!end) return;

    yield rows.map(toScheduled);
    last = end;
  }
}

/** Yields pages of wanted pending deliveries, one kind after another, ordered by due time. */
export async function* listPendingDeliveries(
  database: Database,
): AsyncGenerator<readonly ScheduledDelivery[]> {
  for (const kind of await listKindsWithProvider(database)) yield* listPendingOfKind(database, kind);
}

/** Returns how long the longest-waiting delivery has been claimable, in milliseconds; 0 if none is. */
export async function readLongestWaitMs(database: Database): Promise<number> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ state: 'pending' })
    .whereRaw(IS_WANTED)
    .whereIn('kind', await listKindsWithProvider(database))
    .first<{ wait_ms: number | null }>(
      database.raw(`max(-${selectMsUntil(CLAIMABLE_AT)}) as wait_ms`),
    );

  return Math.max(0, row.wait_ms ?? 0);
}

/** A delivery counts as late once it has been overdue for this long. A healthy worker is faster. */
export const LATE_AFTER = 5 * Minute;

/** Returns how long the oldest unfinished delivery with a provider has been overdue, in milliseconds; 0 if none is. */
export async function readOldestOverdueMs(database: Database): Promise<number> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .whereIn('state', ['pending', 'leased'])
    .whereRaw(IS_WANTED)
    .whereIn('kind', await listKindsWithProvider(database))
    .first<{ overdue_ms: number | null }>(
      database.raw(`max(-${selectMsUntil('due_at')}) as overdue_ms`),
    );

  return Math.max(0, row.overdue_ms ?? 0);
}

/** SQL for the latest time that a back-off, pause or `Retry-After` can set for a row's kind. */
const LONGEST_WAIT = `now() + case when kind in (${listInSql(callKinds)}) then interval '7 hours' else interval '1 hour' end`;

/**
 * Resets due times, retry times, leases and pauses that are so far ahead that only a wrong clock can have set them.
 * Returns the number of changed deliveries.
 */
export async function expireStuckWaits(database: Database, lease: number): Promise<number> {
  await database('delivery_pauses').whereNot({ reason: NO_PROVIDER }).whereRaw(`until > ${LONGEST_WAIT}`).delete();
  const isInFuture = "due_at > now() and (stage is null or stage = 'new')";
  const { rowCount } = await database.raw<{ rowCount: number }>(
    `update ${DELIVERIES} set
      due_at = case when ${isInFuture} then now() else due_at end,
      retry_at = case when retry_at > ${LONGEST_WAIT} then now() else retry_at end,
      lease_until = case when lease_until > :longestLease then :leaseEnd else lease_until end
    where state in ('pending', 'leased') and (${isInFuture} or retry_at > ${LONGEST_WAIT} or lease_until > :longestLease)`,
    { longestLease: nowPlusMs(database, 2 * lease), leaseEnd: nowPlusMs(database, lease) },
  );

  return rowCount;
}
