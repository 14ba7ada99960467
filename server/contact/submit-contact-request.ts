import { randomUUID } from 'node:crypto';
import type { ContactRequest } from '../../shared/contact/contact-request.ts';
import type { PlannedDelivery, ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import {
  findBodyHash,
  findRecentRepeat,
  insertSubmission,
  insertWithDeliveries,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { spendProof, type SpentProof } from '../../shared/node/contact/spent-proofs.ts';
import type { Database, Transaction } from '../../shared/node/database.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logger.ts';
import type { SubmissionMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from '../errors.ts';
import type { RateLimiter } from '../rate-limits/rate-limiter.ts';
import { scheduleInBackground } from '../schedule-in-background.ts';
import { writeWithRetry } from '../write-with-retry.ts';
import { hashContactFields } from './hash-contact-fields.ts';
import { judgeSubmission, type Verdict } from './judge-submission.ts';
import type { ProofOfWork } from './proof-of-work.ts';

/** A plain form post has no id: the same content within this time is the same request. */
const REPEAT_WINDOW = 10 * Minute;

const UNAVAILABLE =
  'We can’t store your request right now. Please try again in a minute; what you typed is kept.';

export interface SubmissionServices {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler;
  readonly limiter: RateLimiter;
  readonly proofOfWork: ProofOfWork;
  readonly plan: readonly PlannedDelivery[];
  readonly logger: Logger;
  readonly metrics?: SubmissionMetrics;
}

export interface SubmissionOrigin {
  /** Whom the rate limit counts. */
  readonly client: string;
  /** A form posted without JavaScript, which can't carry an id. */
  readonly isPlainForm: boolean;
}

export interface SubmissionAnswer {
  readonly id: string;
  /** False for a repeat, which gets the first answer again. */
  readonly isNew: boolean;
  /** Held as suspected spam; the visitor is not told. */
  readonly isQuarantined: boolean;
}

type Outcome = Omit<SubmissionAnswer, 'isQuarantined'> & {
  readonly scheduled: readonly ScheduledDelivery[];
  readonly quarantineReason?: string | undefined;
};

/** A request that was looked at, before anything is written. */
interface JudgedSubmission {
  readonly submission: NewSubmission;
  readonly verdict: Verdict;
  /** A proof of work that is right, and good unless it was used before. */
  readonly proof: SpentProof | undefined;
}

function makeConflictError(): AppError {
  return new AppError('id-conflict', 'This id was used for another request. Please send it again.');
}

/** The answer given before, if this request repeats one; throws when the id has other content. */
async function findRepeat(
  transaction: Transaction,
  submission: NewSubmission,
  origin: Pick<SubmissionOrigin, 'isPlainForm'>,
): Promise<Outcome | undefined> {
  if (origin.isPlainForm) {
    const id = await findRecentRepeat(transaction, submission.bodyHash, REPEAT_WINDOW);

    return id === undefined ? undefined : { id, isNew: false, scheduled: [] };
  }

  const bodyHash = await findBodyHash(transaction, submission.id);
  if (bodyHash === undefined) return undefined;
  if (bodyHash !== submission.bodyHash) throw makeConflictError();

  return { id: submission.id, isNew: false, scheduled: [] };
}

/** Why the request is to be held; a proof of work settles doubts, once. */
async function findQuarantineReason(
  transaction: Transaction,
  { verdict, proof }: JudgedSubmission,
): Promise<string | undefined> {
  if (verdict.kind === 'clean') return undefined;
  const isSettled =
    verdict.kind === 'doubtful' && proof !== undefined && (await spendProof(transaction, proof));

  return isSettled ? undefined : verdict.reasons.join();
}

/** Writes the request and what is to be done about it; undefined when its id exists. */
async function insertJudged(
  transaction: Transaction,
  judged: JudgedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<Outcome | undefined> {
  const { submission } = judged;
  const quarantineReason = await findQuarantineReason(transaction, judged);
  const scheduled =
    quarantineReason === undefined
      ? await insertWithDeliveries(transaction, submission, plan)
      : (await insertSubmission(transaction, { ...submission, quarantineReason })) && [];

  return scheduled ? { id: submission.id, isNew: true, scheduled, quarantineReason } : undefined;
}

/**
 * Writes the request and its deliveries in one transaction, or finds that it is a repeat; a
 * suspect gets no deliveries. The limit is taken last, since only what is stored counts, and given
 * back when the commit fails.
 */
async function writeSubmission(
  { database, limiter, plan }: SubmissionServices,
  judged: JudgedSubmission,
  origin: SubmissionOrigin,
): Promise<Outcome> {
  const { submission, verdict } = judged;
  // Hardly any request is a repeat: most are written at once, and looked for when their id exists.
  const looksFirst = origin.isPlainForm || verdict.kind !== 'clean';
  let isCounted = false;

  try {
    return await database.transaction(async (transaction) => {
      const repeat = looksFirst && (await findRepeat(transaction, submission, origin));
      if (repeat) return repeat;

      const outcome = await insertJudged(transaction, judged, plan);
      if (!outcome) {
        const twin = await findRepeat(transaction, submission, { isPlainForm: false });
        if (twin) return twin;
        throw makeConflictError();
      }

      const { excess, waitSeconds } = await limiter.take(origin.client);
      if (excess > 0) throw makeRateLimitError(waitSeconds);
      isCounted = true;

      return outcome;
    });
  } catch (error) {
    if (isCounted) await limiter.giveBack(origin.client);
    throw error;
  }
}

/**
 * Accepts a contact request: returns once it and its deliveries are committed, and never waits
 * for the queue. A suspect is stored without deliveries, and the answer doesn't tell.
 * @throws AppError id-conflict, rate-limited or unavailable
 */
export async function submitContactRequest(
  services: SubmissionServices,
  { submitted_at: submittedAt, id, spam, ...fields }: ContactRequest,
  origin: SubmissionOrigin,
): Promise<SubmissionAnswer> {
  const submission: NewSubmission = {
    ...fields,
    id: id ?? randomUUID(),
    submittedAt,
    bodyHash: hashContactFields(fields),
  };
  const verdict = judgeSubmission(fields, spam);
  const proof =
    verdict.kind === 'doubtful' && spam.proof
      ? await services.proofOfWork.check(spam.proof)
      : undefined;
  // The id makes another try harmless.
  const outcome = await writeWithRetry(
    () => writeSubmission(services, { submission, verdict, proof }, origin),
    UNAVAILABLE,
  );
  if (outcome.quarantineReason !== undefined) {
    const reasons = outcome.quarantineReason;
    services.logger.info({ reasons }, 'A request is held as suspected spam.');
  }
  scheduleInBackground(services, outcome.scheduled);

  return {
    id: outcome.id,
    isNew: outcome.isNew,
    isQuarantined: outcome.quarantineReason !== undefined,
  };
}
