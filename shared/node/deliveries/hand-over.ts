import { IS_OPEN } from '../contact/submission-state.ts';
import type { Database } from '../database/database.ts';
import type { ClaimedDelivery } from './delivery-store.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-table.ts';

/** A follow-up is wanted while sales has not answered and the request was not erased. */
const IS_WANTED = `(kind <> 'follow-up' or exists (
  select from contact_submissions
  where contact_submissions.id = deliveries.submission_id and ${IS_OPEN}
))`;

const leased = (database: Database, { id, leaseToken }: ClaimedDelivery) =>
  database<DeliveryRow>(DELIVERIES).where({ id, state: 'leased', lease_token: leaseToken });

/**
 * Records that the mail of a delivery is about to end. Only after that may it end: whoever marks the
 * request as contacted comes before or after this one update, and so does a sweep.
 * @returns false when the mail must not be sent: the lease isn't ours any more, or nobody wants it
 */
export async function recordHandOver(
  database: Database,
  claimed: ClaimedDelivery,
): Promise<boolean> {
  const count = await leased(database, claimed)
    .whereRaw(IS_WANTED)
    .update({ handed_over_at: database.fn.now() });

  return count === 1;
}

/** Whether the mail of a delivery that is still ours was about to end; see `recordHandOver`. */
export async function wasHandedOver(database: Database, claimed: ClaimedDelivery): Promise<boolean> {
  const row = await leased(database, claimed).whereNotNull('handed_over_at').first('id');

  return row !== undefined;
}
