import type { DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { recordHandOver, type SentDelivery } from '../../shared/node/deliveries/leased-delivery.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { DeliveryMetrics } from '../../shared/node/monitoring/site-metrics.ts';

/**
 * Sends what a delivery stands for, with its subject as it is now.
 * @throws DeliveryError, also to cancel the delivery
 */
export type DeliveryHandler = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<SentDelivery>;

/** What processing a delivery needs. */
export interface DeliveryServices {
  readonly database: Database;
  readonly handlers: Readonly<Record<DeliveryKind, DeliveryHandler>>;
  readonly timings: Timings;
  readonly logger: Logger;
  readonly metrics?: DeliveryMetrics;
}

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

/**
 * Makes what a mailer calls just before the end of a delivery's mail; see `SendOptions.beforeEnd`.
 * @param checkWanted throws a DeliveryError that says why the mail isn't wanted any more
 */
export function makeHandOver(
  database: Database,
  delivery: ClaimedDelivery,
  checkWanted: () => Promise<unknown>,
): () => Promise<void> {
  return async () => {
    if (await recordHandOver(database, delivery)) return;
    await checkWanted();
    throw new DeliveryError('retry', 'lease-lost');
  };
}
