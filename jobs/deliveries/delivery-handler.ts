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
  readonly metrics: DeliveryMetrics;
  /** Aborted when the worker is to end. */
  readonly shutdown: AbortSignal;
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
  if (!submission || submission.anonymisedAt) throw new DeliveryError('cancelled', 'erased');
  if (submission.quarantinedAt) throw new DeliveryError('cancelled', 'quarantined');

  return submission;
}

/**
 * Attempts that a server may refuse a visitor's address for the moment: with the back-off almost four minutes. A
 * domain that doesn't exist is often refused so, and an alert about lateness would be about a typing error.
 */
const MAX_DEFERRALS = 4;

/**
 * The outcome of a failed mail to a visitor: cancelled once the address, mistyped or made up, is given up. That is
 * nothing an operator can fix.
 */
export function giveUpAddress(error: DeliveryError, { attempts }: ClaimedDelivery): DeliveryError {
  const { result, reason, isRecipientRefused, cause } = error;
  const isGivenUp = result === 'dead' || (isRecipientRefused && attempts >= MAX_DEFERRALS);

  return isGivenUp ? new DeliveryError('cancelled', reason, { cause }) : error;
}

/**
 * Makes what is called just before the end of a delivery's mail (`SendOptions.beforeEnd`), or before its post to
 * a chat.
 * @param record records the hand-over; false when it must not be sent
 */
export function makeHandOver(
  database: Database,
  delivery: ClaimedDelivery,
  record = () => recordHandOver(database, delivery),
): () => Promise<void> {
  return async () => {
    if (!(await record())) throw new DeliveryError('unwanted', 'not-wanted');
  };
}
