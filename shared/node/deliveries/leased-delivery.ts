import { nowPlusMs, type Database, type RowChange, type Transaction } from '../database/database.ts';
import type { ClaimedDelivery } from './claim-delivery.ts';
import { DELIVERIES, IS_WANTED, type DeliveryRow } from './delivery-table.ts';
import { SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { lockInTransaction } from '../database/advisory-lock.ts';
import { getMailboxKey } from '../mail/email-address.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import { Day } from '../../time.ts';

/** Selects a delivery's row if this claim still holds its lease. */
const whereLeased = (database: Database | Transaction, { id, leaseToken }: ClaimedDelivery) =>
  database<DeliveryRow>(DELIVERIES).where({ id, state: 'leased', lease_token: leaseToken });

/**
 * Records that a mail or POST request is about to be handed over. Call this before the hand-over.
 * @returns false if it must not be sent, because the lease is lost or the request no longer needs it
 */
export async function recordHandOver(
  database: Database | Transaction,
  claimed: ClaimedDelivery,
): Promise<boolean> {
  const count = await whereLeased(database, claimed)
    .whereRaw(IS_WANTED)
    .update({ handed_over_at: database.fn.now() });

  return count === 1;
}

/** Returns whether this claim handed over the mail or POST request and still holds the lease. */
export async function wasHandedOver(database: Database, claimed: ClaimedDelivery): Promise<boolean> {
  const row = await whereLeased(database, claimed).whereNotNull('handed_over_at').first('id');

  return row !== undefined;
}

/** Stores the id of the record that a step created in the CRM. Returns false if the lease is lost. */
export async function recordRemoteStep(
  database: Database,
  claimed: ClaimedDelivery,
  { step, remoteId }: { readonly step: string; readonly remoteId: string },
): Promise<boolean> {
  const count = await whereLeased(database, claimed).update({
    remote_steps: database.raw('remote_steps || jsonb_build_object(?::text, ?::text)', [step, remoteId]),
  });

  return count === 1;
}

/** Deletes the recorded ids, because the records may have been deleted in the CRM. */
export async function deleteRemoteSteps(
  database: Database,
  claimed: ClaimedDelivery,
): Promise<void> {
  await whereLeased(database, claimed).update({ remote_steps: {} });
}

/** Ends the lease and applies a change. Returns false and changes nothing if the lease is lost. */
async function endLease(
  database: Database | Transaction,
  claimed: ClaimedDelivery,
  change: RowChange<DeliveryRow>,
): Promise<boolean> {
  const count = await whereLeased(database, claimed).update({ lease_token: null, lease_until: null, ...change });

  return count === 1;
}

/** What a handler returns once the receiver has accepted the delivery. */
export interface SentDelivery {
  readonly remoteRef: string | null;
  /** Recipients that the mail server refused temporarily while it accepted others. */
  readonly deferred: readonly string[];
}

/** Records that the delivery was sent. Creates a delivery for each deferred recipient, to be retried in `retryMs`. */
export function markDeliverySent(
  database: Database,
  claimed: ClaimedDelivery,
  { remoteRef, deferred }: SentDelivery,
  retryMs: number,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const isOurs = await endLease(transaction, claimed, {
      state: 'sent',
      sent_at: transaction.raw('now()'),
      remote_ref: remoteRef,
      last_error: null,
    });
    if (!isOurs || deferred.length === 0) return isOurs;
    await transaction.raw(
      `insert into deliveries
        (submission_id, subject, kind, stage, due_at, recipient, event_id, attempts, retry_at,
          last_error, maybe_duplicate, lost_answers)
      select submission_id, subject, kind, stage, due_at, deferred, event_id, 1, ?,
        'recipient-deferred', maybe_duplicate, lost_answers
      from deliveries, unnest(?::text[]) as deferred
      where id = ?
      on conflict do nothing`,
      [nowPlusMs(transaction, retryMs), [...deferred], claimed.id],
    );

    return true;
  });
}

interface FailedAttempt {
  readonly error: string;
  /** Whether the mail was handed over but its acceptance is unknown. */
  readonly isAmbiguous: boolean;
}

const recordError = (database: Database, { error, isAmbiguous }: FailedAttempt): RowChange<DeliveryRow> => ({
  last_error: error,
  ...(isAmbiguous
    ? { maybe_duplicate: true, lost_answers: database.raw('lost_answers + 1') }
    : { handed_over_at: null }),
});

interface Rescheduling extends FailedAttempt {
  readonly delayMs: number;
  /** False if this delivery didn't cause the failure. */
  readonly isCounted: boolean;
}

/** Returns the delivery to pending, to be retried in `delayMs` milliseconds. */
export function rescheduleDelivery(
  database: Database,
  claimed: ClaimedDelivery,
  { delayMs, isCounted, ...failed }: Rescheduling,
): Promise<boolean> {
  return endLease(database, claimed, {
    ...recordError(database, failed),
    state: 'pending',
    retry_at: nowPlusMs(database, delayMs),
    attempts: isCounted ? claimed.attempts : claimed.attempts - 1,
  });
}

/** Records that the delivery won't be retried. `dead` needs an operator's attention, `cancelled` doesn't. */
export function markDeliveryFailed(
  database: Database,
  claimed: ClaimedDelivery,
  { state, ...failed }: FailedAttempt & { readonly state: 'dead' | 'cancelled' },
): Promise<boolean> {
  return endLease(database, claimed, { ...recordError(database, failed), state });
}

/** A mailbox gets at most one acknowledgment in this period. */
const PAUSE = 1 * Day;

/** Returns whether another acknowledgment to this mailbox may have been handed over within the last day. */
export async function wasAcknowledged(
  database: Database | Transaction,
  { id }: Pick<ClaimedDelivery, 'id'>,
  email: string,
): Promise<boolean> {
  const rows = await database(DELIVERIES)
    .join(SUBMISSIONS, `${SUBMISSIONS}.id`, `${DELIVERIES}.submission_id`)
    .whereRaw(`${DELIVERIES}.kind = 'acknowledgment'`)
    .where(`${DELIVERIES}.handed_over_at`, '>', nowPlusMs(database, -PAUSE))
    .whereNot(`${DELIVERIES}.id`, id)
    .distinct<Array<{ email: string }>>(`${SUBMISSIONS}.email`);
  const mailbox = getMailboxKey(email);

  return rows.some((row) => getMailboxKey(row.email) === mailbox);
}

/** Like `recordHandOver`, but for an acknowledgment. Cancels it if the mailbox may have had one in the last day. */
export async function recordAcknowledgmentHandOver(
  database: Database,
  claimed: ClaimedDelivery,
  email: string,
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    await lockInTransaction(transaction, `acknowledgment ${getMailboxKey(email)}`);
    if (await wasAcknowledged(transaction, claimed, email)) throw new DeliveryError('cancelled', 'acknowledged-before');

    return recordHandOver(transaction, claimed);
  });
}
