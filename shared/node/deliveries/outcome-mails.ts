import type { FollowUpStage, ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { CancelledMail } from '../contact/submission-events.ts';
import type { Raw, Transaction } from '../database/database.ts';
import {
  DELIVERIES,
  selectMsUntil,
  NEEDS_OPEN_REQUEST,
  READY_AT,
  toScheduled,
  type DeliveryRow,
  type ReadyRow,
} from './delivery-table.ts';

/*
 * What becomes of the mails about a submission when sales does something about it: they are cancelled,
 * come back when it is undone, or one more is written.
 */

/** SQL that is true for a mail that can be stopped: it is not sent, and not handed over right now. */
const CAN_BE_STOPPED = `${NEEDS_OPEN_REQUEST}
  and (state in ('pending', 'dead') or (state = 'leased' and handed_over_at is null))`;

async function cancelMails(
  transaction: Transaction,
  submissionId: string,
  reason: string,
  condition: Raw,
): Promise<CancelledMail[]> {
  const { rows } = await transaction.raw<{ rows: CancelledMail[] }>(
    `with stopped as (
      select id, state, last_error from ${DELIVERIES}
      where submission_id = ? and ${CAN_BE_STOPPED} and ?
      for update
    )
    update ${DELIVERIES} set state = 'cancelled', last_error = ?, lease_token = null, lease_until = null
    from stopped where ${DELIVERIES}.id = stopped.id
    returning ${DELIVERIES}.id, stage,
      case stopped.state when 'dead' then 'dead' else 'pending' end as state, stopped.last_error as error`,
    [submissionId, condition, reason],
  );

  return rows;
}

/**
 * Cancels the mails about a submission that are pending or dead, its acknowledgment and its announcement in a
 * chat included; also those that are leased, unless they have been handed over.
 * @param reason recorded in `last_error`
 */
export const cancelFollowUps = (
  transaction: Transaction,
  submissionId: string,
  reason: 'contacted' | 'unfit',
): Promise<CancelledMail[]> => cancelMails(transaction, submissionId, reason, transaction.raw('true'));

/** Cancels the mails to whom a request was handed before, unless they are sent or being sent. */
export const cancelHandOvers = (transaction: Transaction, submissionId: string): Promise<CancelledMail[]> =>
  cancelMails(transaction, submissionId, 'assigned', transaction.raw("event_id is not null and stage = 'new'"));

/**
 * Cancels the reminders of the plan that would come before a time, and what an earlier choice of a time had written,
 * whenever it would come.
 * @param isPastPromise the plan's mail at the promised time as well, if that is before
 */
export const cancelReminders = (
  transaction: Transaction,
  submissionId: string,
  until: Date,
  isPastPromise: boolean,
): Promise<CancelledMail[]> =>
  cancelMails(
    transaction,
    submissionId,
    'snoozed',
    transaction.raw(
      `((event_id is null and stage = any(?::text[]) and due_at < ?)
        or (event_id is not null and stage in ('reminder', 'due')))`,
      [isPastPromise ? ['reminder', 'due'] : ['reminder'], until],
    ),
  );

/**
 * Brings back mails of the plan that an earlier choice of a time had cancelled and this one doesn't, unless their time
 * is over.
 * @param isPastPromise also the mail at the promised time stays cancelled, if that is before
 */
export async function restorePlanned(
  transaction: Transaction,
  submissionId: string,
  until: Date,
  isPastPromise: boolean,
): Promise<{ readonly scheduled: readonly ScheduledDelivery[]; readonly hasPromised: boolean }> {
  const { rows } = await transaction.raw<{ rows: Array<ReadyRow & Pick<DeliveryRow, 'stage'>> }>(
    `update ${DELIVERIES} set state = 'pending', last_error = null
    where submission_id = ? and event_id is null and state = 'cancelled' and last_error = 'snoozed'
      and due_at > now() and (due_at >= ? or stage = ?)
    returning id, kind, stage, ${selectMsUntil(READY_AT)} as delay_ms`,
    [submissionId, until, isPastPromise ? null : 'due'],
  );

  return { scheduled: rows.map(toScheduled), hasPromised: rows.some(({ stage }) => stage === 'due') };
}

/** Cancels mails again that a choice of a time had brought back. */
export const cancelRestored = (
  transaction: Transaction,
  submissionId: string,
  ids: readonly string[],
): Promise<CancelledMail[]> =>
  cancelMails(transaction, submissionId, 'snoozed', transaction.raw(`${DELIVERIES}.id = any(?::uuid[])`, [[...ids]]));

/** Cancels the mail that an event made, unless it is sent or being sent. */
export const cancelMailOf = (
  transaction: Transaction,
  submissionId: string,
  eventId: string,
): Promise<CancelledMail[]> =>
  cancelMails(transaction, submissionId, 'undone', transaction.raw('event_id = ?', [eventId]));

/**
 * Gives cancelled mails the state they had, but for acknowledgments that the release of a restore has cancelled since.
 * @returns those that are pending again
 */
export async function restoreMails(
  transaction: Transaction,
  submissionId: string,
  cancelled: readonly CancelledMail[],
): Promise<ScheduledDelivery[]> {
  if (cancelled.length === 0) return [];
  const { rows } = await transaction.raw<{ rows: Array<ReadyRow & Pick<DeliveryRow, 'state'>> }>(
    `update ${DELIVERIES} set state = was.state, last_error = was.error
    from json_to_recordset(?) as was (id uuid, state text, error text)
    where ${DELIVERIES}.id = was.id and submission_id = ? and ${DELIVERIES}.state = 'cancelled'
      and ${DELIVERIES}.last_error is distinct from 'restored'
    returning ${DELIVERIES}.id, kind, ${DELIVERIES}.state, ${selectMsUntil(READY_AT)} as delay_ms`,
    [JSON.stringify(cancelled), submissionId],
  );

  return rows.filter(({ state }) => state === 'pending').map(toScheduled);
}

/**
 * Returns mails to pending that workers have cancelled because a request was settled: those that were
 * being sent just then and failed, or that an operator retried.
 */
export async function returnMailsToPending(
  transaction: Transaction,
  submissionId: string,
  reason: 'contacted' | 'unfit',
): Promise<ScheduledDelivery[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, state: 'cancelled', last_error: reason })
    .whereRaw(NEEDS_OPEN_REQUEST)
    .update({ state: 'pending', last_error: null })
    .returning<ReadyRow[]>(['id', 'kind', transaction.raw(`${selectMsUntil(READY_AT)} as delay_ms`)]);

  return rows.map(toScheduled);
}

/** A mail that something done about a submission causes. */
interface EventMail {
  readonly submissionId: string;
  readonly eventId: string;
  /** Null for the mail that reports the outcome itself. */
  readonly stage: FollowUpStage | null;
  /** Null for all of sales. */
  readonly recipient: string | null;
  /** Undefined: at once. */
  readonly dueAt?: Date;
}

/** Writes one more mail about a submission. */
export async function insertEventMail(
  transaction: Transaction,
  { submissionId, eventId, stage, recipient, dueAt }: EventMail,
): Promise<ScheduledDelivery[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .insert({
      submission_id: submissionId,
      event_id: eventId,
      kind: stage === null ? 'outcome' : 'follow-up',
      stage,
      recipient,
      due_at: dueAt ?? transaction.fn.now(),
    })
    .returning<ReadyRow[]>(['id', 'kind', transaction.raw(`${selectMsUntil('due_at')} as delay_ms`)]);

  return rows.map(toScheduled);
}
