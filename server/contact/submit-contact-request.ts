import { randomUUID } from 'node:crypto';
import type { ContactRequest } from '../../shared/contact/contact-request.ts';
import type { NewSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { SubmissionMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { scheduleInBackground } from './schedule-in-background.ts';
import { writeWithRetry } from '../http/write-with-retry.ts';
import { hashContactFields } from './hash-contact-fields.ts';
import { canBeSettled, assessSpam } from './assess-spam.ts';
import type { ProofOfWork } from './proof-of-work.ts';
import { writeSubmission, type SubmissionOrigin, type WriteServices } from './write-submission.ts';

const UNAVAILABLE =
  'We can’t store your request right now. Please try again in a minute; what you typed is kept.';

export interface SubmissionServices extends WriteServices {
  readonly scheduler: DeliveryScheduler | undefined;
  readonly proofOfWork: ProofOfWork;
  readonly logger: Logger;
  readonly metrics?: SubmissionMetrics;
}

export interface SubmissionResponse {
  readonly id: string;
  /** False for a repeat, which gets the first answer again. */
  readonly isNew: boolean;
  /** Held as suspected spam; the visitor is not told. */
  readonly isQuarantined: boolean;
  /** The same request with a proof of work would no longer be held. */
  readonly wantsProof: boolean;
}

/**
 * Accepts a contact request: returns once it and its deliveries are committed, and never waits
 * for the queue. A suspect is stored without deliveries, and the answer doesn't tell the visitor.
 * @throws AppError id-conflict, rate-limited or unavailable
 */
export async function submitContactRequest(
  services: SubmissionServices,
  { submitted_at: submittedAt, id, spam, ...fields }: ContactRequest,
  origin: SubmissionOrigin,
): Promise<SubmissionResponse> {
  const submission: NewSubmission = {
    ...fields,
    id: id ?? randomUUID(),
    submittedAt,
    bodyHash: hashContactFields(fields),
  };
  const verdict = assessSpam(fields, spam);
  const outcome = await services.limits.runBounded(origin.client, async () => {
    const proof =
      verdict.kind !== 'spam' && spam.proof
        ? await services.proofOfWork.check(spam.proof)
        : undefined;

    // The id makes another try harmless.
    return writeWithRetry(
      () => writeSubmission(services, { submission, verdict, proof, origin }),
      UNAVAILABLE,
    );
  });
  const { heldFor, isNew, scheduled } = outcome;
  if (isNew && heldFor !== undefined) {
    services.logger.info({ reasons: heldFor }, 'A request is held as suspected spam.');
  }
  if (!isNew && scheduled.length > 0) {
    services.logger.info('A held request was released by a proof of work.');
  }
  scheduleInBackground(services, scheduled);

  return {
    id: outcome.id,
    isNew,
    isQuarantined: heldFor !== undefined,
    wantsProof: canBeSettled(heldFor),
  };
}
