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
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import type { Mailer, OutgoingMail } from '../../shared/node/mail/mailer.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { WorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';

/** Sends a delivery with its subject's current data. Throws a DeliveryError if that fails or the delivery is cancelled. */
export type DeliveryHandler = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<SentDelivery>;

export interface DeliveryServices {
  readonly database: Database;
  readonly handlers: Readonly<Record<DeliveryKind, DeliveryHandler>>;
  readonly timings: Timings;
  readonly logger: Logger;
  readonly metrics: WorkerMetrics;
  readonly shutdown: AbortSignal;
}

/** Returns a delivery's submission. Cancels the delivery if the submission is erased or held as spam. */
export async function loadSubmission(
  database: Database,
  { submissionId }: ClaimedDelivery,
): Promise<Submission> {
  const submission = submissionId === null ? undefined : await findSubmission(database, submissionId);
  if (!submission || submission.anonymisedAt) throw new DeliveryError('cancelled', 'erased');
  if (submission.quarantinedAt) throw new DeliveryError('cancelled', 'quarantined');

  return submission;
}

/** Returns the sales mailboxes that a mail is for. Cancels the mail if there are none. */
export function selectRecipients(mailboxes: readonly string[], { recipient }: ClaimedDelivery): readonly string[] {
  const to = recipient === null ? mailboxes : selectMailboxes(mailboxes, [recipient]);
  if (to.length === 0) throw new DeliveryError('cancelled', 'recipient-removed');

  return to;
}

/** Cancels the mail after this many temporary refusals of a visitor's address, which takes about four minutes. */
const MAX_DEFERRALS = 4;

/** Cancels a mail to a visitor whose address is refused, since no operator can fix that. Returns other errors unchanged. */
export function cancelForRefusedAddress(error: unknown, { attempts }: ClaimedDelivery): unknown {
  if (!(error instanceof DeliveryError) || !error.isRecipientRefused) return error;
  const { result, reason, cause } = error;

  return result === 'dead' || attempts >= MAX_DEFERRALS ? new DeliveryError('cancelled', reason, { cause }) : error;
}

/**
 * Returns a function to call before the last bytes of a mail or chat message are sent. It throws if `record` returns
 * false, because then the message must no longer be sent.
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

interface MailAttempt {
  readonly database: Database;
  readonly mailer: Mailer;
  readonly delivery: ClaimedDelivery;
  readonly signal: AbortSignal;
  /** Replaces `recordHandOver`. */
  readonly record?: () => Promise<boolean>;
}

/** Sends a delivery's mail. */
export async function sendMail(
  { database, mailer, delivery, signal, record }: MailAttempt,
  mail: OutgoingMail,
): Promise<SentDelivery> {
  const beforeEnd = makeHandOver(database, delivery, record);
  const { messageId, deferred } = await mailer.send(mail, { signal, beforeEnd });

  return { remoteRef: messageId, deferred };
}
