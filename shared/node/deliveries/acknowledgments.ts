import { SUBMISSIONS } from '../contact/contact-submission-store.ts';
import { lockInTransaction } from '../database/advisory-lock.ts';
import { nowPlusMs, type Database, type Transaction } from '../database/database.ts';
import { getMailboxKey } from '../mail/email-address.ts';
import { DeliveryError } from '../outbound/delivery-error.ts';
import { Day } from '../../time.ts';
import type { ClaimedDelivery } from './claim-delivery.ts';
import { DELIVERIES } from './delivery-table.ts';
import { recordHandOver } from './leased-delivery.ts';

/** A mailbox gets at most one acknowledgment within this time, however many requests name it. */
const PAUSE = 1 * Day;

/** Whether another acknowledgment to the same mailbox may have been handed over within a day. */
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

/** Records the hand-over of an acknowledgment, of which a mailbox gets one a day; false when it must not be sent. */
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
