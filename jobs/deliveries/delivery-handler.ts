import type { DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { recordHandOver, type SentDelivery } from '../../shared/node/deliveries/leased-delivery.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { WorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';

/** Sends a delivery about its current subject. Throws a DeliveryError, also to cancel it. */
export type DeliveryHandler = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<SentDelivery>;

export interface DeliveryServices {
  readonly database: Database;
  readonly handlers: Readonly<Record<DeliveryKind, DeliveryHandler>>;
  readonly timings: Timings;
  readonly logger: Logger;
  readonly metrics: WorkerMetrics;
  readonly shutdown: AbortSignal;
}

/** The submission a delivery is about. Cancels the delivery when its data was erased or it is held as spam. */
export async function loadSubmission(
  database: Database,
  { submissionId }: ClaimedDelivery,
): Promise<Submission> {
  const submission = submissionId === null ? undefined : await findSubmission(database, submissionId);
  if (!submission || submission.anonymisedAt) throw new DeliveryError('cancelled', 'erased');
  if (submission.quarantinedAt) throw new DeliveryError('cancelled', 'quarantined');

  return submission;
}

/** Temporary refusals of a visitor's address, within about four minutes: a mistyped domain often gets nothing else. */
const MAX_DEFERRALS = 4;

/** The outcome of a failed mail to a visitor: cancelled once the address is given up, since no operator can fix it. */
export function giveUpAddress(error: DeliveryError, { attempts }: ClaimedDelivery): DeliveryError {
  const { result, reason, isRecipientRefused, cause } = error;
  const isGivenUp = result === 'dead' || (isRecipientRefused && attempts >= MAX_DEFERRALS);

  return isGivenUp ? new DeliveryError('cancelled', reason, { cause }) : error;
}

/** Makes the step before a mail's end or a post to a chat; `record` returns false when it must not be sent. */
export function makeHandOver(
  database: Database,
  delivery: ClaimedDelivery,
  record = () => recordHandOver(database, delivery),
): () => Promise<void> {
  return async () => {
    if (!(await record())) throw new DeliveryError('unwanted', 'not-wanted');
  };
}
