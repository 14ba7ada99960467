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

/** A delivery that only this process may send until its lease expires. */
export interface ClaimedDelivery {
  readonly id: string;
  /** What the delivery is about. Exactly one of the three is set. */
  readonly submissionId: string | null;
  readonly subscriptionId: string | null;
  /** Identifies a subject that has no table, such as the week of a report. */
  readonly subject: string | null;
  readonly kind: DeliveryKind;
  readonly stage: FollowUpStage | null;
  readonly attempts: number;
  readonly leaseToken: string;
  /** In `performance.now()` time. After this time, the sweep may end the lease. */
  readonly leaseEndsAt: number;
  /** Milliseconds since the delivery was due. */
  readonly overdueMs: number;
  /** CRM ids that earlier attempts recorded, by step. */
  readonly remoteSteps: Readonly<Record<string, string>>;
  /** Number of earlier attempts that handed over a mail or POST request with an unknown outcome. */
  readonly lostResponses: number;
  /** The address of the only recipient. Null if the mail goes to everyone in sales, or if this is not a mail. */
  readonly recipient: string | null;
  /** The event that caused the delivery; null if it was planned with its subject. */
  readonly eventId: string | null;
}

export interface Lease {
  readonly token: string;
  readonly ms: number;
}

/** Leases a delivery if it may be tried now. A single conditional update ensures that only one worker gets it. */
async function claim(
  database: Database,
  id: string | Knex.QueryBuilder,
  lease: Lease,
): Promise<ClaimedDelivery | undefined> {
  const leaseEndsAt = performance.now() + lease.ms;
  const [row] = await database<DeliveryRow>(DELIVERIES)
    .where('id', id)
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
      ...['recipient', 'event_id as eventId'],
      database.raw(`-${selectMsUntil('due_at')} as "overdueMs"`),
    ]);

  return row && { ...row, leaseEndsAt };
}

/** Leases the delivery with this id. Returns undefined if it may not be tried now. */
export const claimDelivery = (database: Database, id: string, lease: Lease): Promise<ClaimedDelivery | undefined> =>
  claim(database, id, lease);

/** Leases the earliest due delivery of a kind, among those that have been claimable for at least `readyForMs`. */
export function claimNextDelivery(
  database: Database,
  kind: DeliveryKind,
  readyForMs: number,
  lease: Lease,
): Promise<ClaimedDelivery | undefined> {
  const readySince = nowPlusMs(database, -readyForMs);
  const next = database<DeliveryRow>(DELIVERIES)
    .where({ state: 'pending', kind })
    // The first condition uses the index. The second one is exact.
    .where('due_at', '<=', readySince)
    .whereRaw(`${CLAIMABLE_AT} <= ?`, [readySince])
    // Checked once per query, to avoid reading a paused kind's rows.
    .whereRaw('not exists (select from delivery_pauses where kind = ? and until > now())', [kind])
    .whereRaw(IS_WANTED)
    .orderBy(['due_at', 'id'])
    .limit(1)
    .forUpdate()
    .skipLocked()
    .select('id');

  return claim(database, next, lease);
}

/** Returns the milliseconds until a delivery may be tried; undefined if it is finished, unwanted or has no provider. */
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
