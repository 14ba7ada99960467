import type { Knex } from 'knex';
import type { DeliveryKind, FollowUpStage } from '../../deliveries/delivery.ts';
import { nowPlusMs, type Database } from '../database/database.ts';
import {
  CLAIMABLE_AT,
  DELIVERIES,
  HAS_PROVIDER,
  HAS_NO_HOLD,
  IS_NOT_PAUSED,
  IS_WANTED,
  selectMsUntil,
  READY_AT,
  type DeliveryRow,
} from './delivery-table.ts';

/** A delivery that this process alone may send until its lease expires. */
export interface ClaimedDelivery {
  readonly id: string;
  /** Of the three, the one that it is about is not null. */
  readonly submissionId: string | null;
  readonly subscriptionId: string | null;
  /** The name of what has no table of its own, such as a report's week. */
  readonly subject: string | null;
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly attempts: number;
  readonly leaseToken: string;
  /** By `performance.now()`; the sweep may end the lease from then on. */
  readonly leaseEndsAt: number;
  /** Milliseconds since it was due. */
  readonly overdueMs: number;
  /** Ids on the other side that earlier attempts recorded, by step. */
  readonly remoteSteps: Readonly<Record<string, string>>;
  /** Earlier attempts that handed a mail over and whose outcome is unknown. */
  readonly lostResponses: number;
  /** The one address of sales the mail is for; null for all of them, and for what is no mail. */
  readonly recipient: string | null;
  /** What sales did that made it; null for those planned with their subject. */
  readonly eventId: string | null;
  /** Why the last attempt failed; null before the first. */
  readonly lastError: string | null;
}

export interface Lease {
  readonly token: string;
  readonly ms: number;
}

/** Leases those that may be tried now, by one conditional update: at most one worker gets a delivery. */
async function claim(
  database: Database,
  choose: (deliveries: Knex.QueryBuilder<DeliveryRow>) => void,
  lease: Lease,
): Promise<ClaimedDelivery | undefined> {
  const leaseEndsAt = performance.now() + lease.ms;
  const [row] = await database<DeliveryRow>(DELIVERIES)
    .where((deliveries) => choose(deliveries))
    .where({ state: 'pending' })
    .whereRaw(`${READY_AT} <= now()`)
    .whereRaw(IS_NOT_PAUSED)
    .whereRaw(HAS_NO_HOLD)
    .whereRaw(IS_WANTED)
    .update({
      state: 'leased',
      attempts: database.raw('attempts + 1'),
      lease_token: lease.token,
      lease_until: nowPlusMs(database, lease.ms),
      handed_over_at: null,
    })
    .returning<Array<Omit<ClaimedDelivery, 'leaseEndsAt'>>>([
      ...['id', 'submission_id as submissionId', 'subscription_id as subscriptionId', 'subject', 'kind', 'stage'],
      ...['attempts', 'lease_token as leaseToken', 'remote_steps as remoteSteps', 'lost_answers as lostResponses'],
      ...['recipient', 'event_id as eventId', 'last_error as lastError'],
      database.raw(`-${selectMsUntil('due_at')} as "overdueMs"`),
    ]);

  return row && { ...row, leaseEndsAt };
}

/** Leases the delivery with this id; undefined when it may not be tried now. */
export function claimDelivery(
  database: Database,
  id: string,
  lease: Lease,
): Promise<ClaimedDelivery | undefined> {
  return claim(database, (deliveries) => void deliveries.where({ id }), lease);
}

/** Leases the delivery of a kind that was due first, and could have been tried for `readyForMs`. */
export function claimNextDelivery(
  database: Database,
  kind: DeliveryKind,
  readyForMs: number,
  lease: Lease,
): Promise<ClaimedDelivery | undefined> {
  const readySince = nowPlusMs(database, -readyForMs);
  const next = database<DeliveryRow>(DELIVERIES)
    .where({ state: 'pending', kind })
    // The first condition is the index's, the second decides.
    .where('due_at', '<=', readySince)
    .whereRaw(`${CLAIMABLE_AT} <= ?`, [readySince])
    // Decided once, so that a paused backlog isn't read.
    .whereRaw('not exists (select from delivery_pauses where kind = ? and until > now())', [kind])
    .whereRaw(IS_WANTED)
    .orderBy(['due_at', 'id'])
    .limit(1)
    .forUpdate()
    .skipLocked()
    .select('id');

  return claim(database, (deliveries) => void deliveries.where('id', next), lease);
}

/** Milliseconds until a delivery may be tried; undefined when nothing is left to do, or it waits for a provider. */
export async function readWaitMs(database: Database, id: string): Promise<number | undefined> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ id })
    .whereIn('state', ['pending', 'leased'])
    .whereRaw(HAS_PROVIDER)
    .whereRaw(IS_WANTED)
    .first<{ wait_ms: number } | undefined>(
      database.raw(
        `${selectMsUntil(`case state when 'leased' then lease_until else ${CLAIMABLE_AT} end`)} as wait_ms`,
      ),
    );

  return row && Math.max(0, row.wait_ms);
}
