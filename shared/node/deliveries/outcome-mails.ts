import type { FollowUpStage, ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { Transaction } from '../database/database.ts';
import {
  DELIVERIES,
  IS_WANTED,
  READY_AT,
  selectMsUntil,
  toScheduled,
  type DeliveryRow,
  type ReadyRow,
} from './delivery-table.ts';

/** Returns whether a due notice will still be sent, and whether the promised time has passed. */
export async function readDueNotice(
  transaction: Transaction,
  submissionId: string,
): Promise<{ readonly willBeSent: boolean; readonly isPromiseOver: boolean }> {
  return transaction<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, stage: 'due' })
    .first<{ willBeSent: boolean; isPromiseOver: boolean }>(
      transaction.raw(
        `coalesce(bool_or(${IS_WANTED} and (state in ('pending', 'dead') or swept_from is not null
          or state = 'leased' and handed_over_at is null)), false) as "willBeSent"`,
      ),
      transaction.raw('coalesce(bool_or(event_id is null and due_at <= now()), false) as "isPromiseOver"'),
    );
}

interface EventMail {
  readonly submissionId: string;
  readonly eventId: string;
  /** `outcome` and `outcome-undone` are kinds without a stage. */
  readonly stage: FollowUpStage | 'outcome' | 'outcome-undone';
  /** Null means everyone in sales. */
  readonly recipient: string | null;
  /** Default: now. */
  readonly dueAt?: Date;
}

/** Inserts a mail caused by one of a submission's events. */
export async function insertEventMail(
  transaction: Transaction,
  { submissionId, eventId, stage, recipient, dueAt }: EventMail,
): Promise<void> {
  await transaction<DeliveryRow>(DELIVERIES).insert({
    submission_id: submissionId,
    event_id: eventId,
    ...(stage === 'outcome' || stage === 'outcome-undone' ? { kind: stage, stage: null } : { kind: 'follow-up', stage }),
    recipient,
    due_at: dueAt ?? transaction.fn.now(),
  });
}

/** Returns whether the mail about an outcome was sent or is being sent. */
export async function wasOutcomeMailed(transaction: Transaction, eventId: string): Promise<boolean> {
  const mail = await transaction<DeliveryRow>(DELIVERIES)
    .where({ event_id: eventId, kind: 'outcome' })
    .whereIn('state', ['leased', 'sent'])
    .first('id');

  return mail !== undefined;
}

/** Cancels deliveries that locked submissions no longer need, restores needed ones, and returns the pending ones. */
export async function updateWanted(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<ScheduledDelivery[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .whereRaw('submission_id = any(?::uuid[])', [[...submissionIds]])
    .whereRaw(`case when ${IS_WANTED} then state = 'pending' or swept_from is not null else state in ('pending', 'dead') end`)
    .update({
      state: transaction.raw(`case when ${IS_WANTED} then coalesce(swept_from, state) else 'cancelled' end`),
      swept_from: transaction.raw(`case when ${IS_WANTED} then null else state end`),
    })
    .returning<Array<ReadyRow & Pick<DeliveryRow, 'state'>>>([
      ...['id', 'kind', 'state'],
      transaction.raw(`${selectMsUntil(READY_AT)} as delay_ms`),
    ]);

  return rows.filter(({ state }) => state === 'pending').map(toScheduled);
}
