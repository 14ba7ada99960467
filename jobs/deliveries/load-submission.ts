import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/delivery-store.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';

/**
 * The submission a delivery is about.
 * @throws DeliveryError when nothing is left to do: its data was erased, or it is held as spam
 */
export async function loadSubmission(
  database: Database,
  { submissionId }: ClaimedDelivery,
): Promise<Submission> {
  const submission = submissionId === null ? undefined : await findSubmission(database, submissionId);
  if (!submission || submission.anonymizedAt) throw new DeliveryError('cancelled', 'erased');
  if (submission.quarantinedAt) throw new DeliveryError('cancelled', 'quarantined');

  return submission;
}
