import { createHash, randomUUID } from 'node:crypto';
import { parseContactRequest, type ContactRequest } from '../../shared/contact/contact-request.ts';
import { contactFieldNames, type ContactFields } from '../../shared/contact/contact-schema.ts';
import { findSpamSignals } from '../../shared/contact/spam-signals.ts';
import type { NewSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { scheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import { writeWithRetry } from '../http/database-timeout.ts';
import { AppError } from '../http/errors.ts';
import { writeSubmission, type SubmissionOrigin, type WriteServices } from './write-submission.ts';

const UNAVAILABLE =
  'We can’t store your request right now. Please try again in a minute; what you typed is kept.';

export interface SubmissionServices extends WriteServices, SchedulingServices {
  readonly metrics: SubmissionMetrics;
}

export interface SubmissionResponse {
  readonly id: string;
  /** False for a repeat, which gets the first response again. */
  readonly isNew: boolean;
  /** Held as suspected spam; the visitor doesn't see it. */
  readonly isQuarantined: boolean;
}

/** @throws AppError invalid-fields */
export function readContactRequest(body: unknown): ContactRequest {
  const parsed = parseContactRequest(body);
  if (parsed.ok) return parsed.value;

  throw new AppError('invalid-fields', 'Please check the fields that are marked.', { errors: parsed.errors });
}

/** Fingerprint of the six fields as stored: equal exactly when the content is. */
function hashContactFields(fields: ContactFields): string {
  const content = JSON.stringify(contactFieldNames.map((name) => fields[name]));

  return createHash('sha256').update(content).digest('hex');
}

/**
 * Accepts a contact request: returns once it and its deliveries are committed, and never waits
 * for the queue. Suspected spam is stored without deliveries, and the response doesn't show it.
 * @throws AppError id-conflict, rate-limited or unavailable
 */
export async function submitContactRequest(
  services: SubmissionServices,
  { submitted_at: submittedAt, id, spam, ...fields }: ContactRequest,
  origin: SubmissionOrigin,
): Promise<SubmissionResponse> {
  const { limits, logger } = services;
  const submission: NewSubmission = {
    ...fields,
    id: id ?? randomUUID(),
    submittedAt,
    bodyHash: hashContactFields(fields),
  };
  const signals = findSpamSignals(fields, spam);
  const result = await limits.runLimited(origin.client, () =>
    // The id makes another attempt harmless.
    writeWithRetry(() => writeSubmission(services, { submission, signals, origin }), UNAVAILABLE),
  );
  const { heldFor, isNew, scheduled } = result;
  const ids = { reqId: origin.reqId, submissionId: result.id };
  if (heldFor !== undefined) logger.info({ ...ids, reasons: heldFor }, 'A request is held as suspected spam.');
  else if (isNew) logger.info(ids, 'A request is stored.');
  scheduleInBackground(services, scheduled);

  return { id: result.id, isNew, isQuarantined: heldFor !== undefined };
}
