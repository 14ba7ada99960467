import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { ContactRequest } from '../../shared/contact/contact-request.ts';
import type { PlannedDelivery, ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import {
  findBodyHash,
  findRecentRepeat,
  insertSubmission,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import {
  isDatabaseUnavailable,
  type Database,
  type Transaction,
} from '../../shared/node/database.ts';
import { insertDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logger.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, makeUnavailableError } from '../errors.ts';
import { hashContactFields } from './hash-contact-fields.ts';
import type { SubmissionLimiter } from './submission-limiter.ts';

/** A plain form post has no id: the same content within this time is the same request. */
const REPEAT_WINDOW = 10 * Minute;

const UNAVAILABLE =
  'We can’t store your request right now. Please try again in a minute; what you typed is kept.';

/** Lost connections and lost races are tried again: the id makes another try harmless. */
const MAX_TRIES = 3;

/** Long enough for the pool to hear of all the connections that ended with one. */
const RETRY_PAUSE = 100;

export interface SubmissionServices {
  readonly database: Database;
  readonly scheduler: DeliveryScheduler;
  readonly limiter: SubmissionLimiter;
  readonly plan: readonly PlannedDelivery[];
  readonly logger: Logger;
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
}

type Outcome = SubmissionAnswer & { readonly scheduled: readonly ScheduledDelivery[] };

function makeConflictError(): AppError {
  return new AppError('id-conflict', 'This id was used for another request. Please send it again.');
}

function makeRateLimitError(waitSeconds: number): AppError {
  return new AppError(
    'rate-limited',
    'Too many requests from your network. Please try again in a few minutes.',
    { retryAfterSeconds: waitSeconds },
  );
}

/** The answer given before, if this request repeats one; throws when the id has other content. */
async function findRepeat(
  transaction: Transaction,
  submission: NewSubmission,
  origin: SubmissionOrigin,
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

/**
 * Writes the request and its deliveries in one transaction, or finds that it is a repeat. The
 * limit is taken last, since only what is stored counts, and given back when the commit fails.
 */
async function writeSubmission(
  { database, limiter, plan }: SubmissionServices,
  submission: NewSubmission,
  origin: SubmissionOrigin,
): Promise<Outcome> {
  let isCounted = false;

  try {
    return await database.transaction(async (transaction) => {
      const repeat = await findRepeat(transaction, submission, origin);
      if (repeat) return repeat;

      if (!(await insertSubmission(transaction, submission))) {
        // Another request with this id was committed since we looked.
        const twin = await findRepeat(transaction, submission, { ...origin, isPlainForm: false });
        if (twin) return twin;
        throw makeConflictError();
      }
      const scheduled = await insertDeliveries(transaction, submission.id, plan);

      const waitSeconds = await limiter.take(origin.client);
      if (waitSeconds !== undefined) throw makeRateLimitError(waitSeconds);
      isCounted = true;

      return { id: submission.id, isNew: true, scheduled };
    });
  } catch (error) {
    if (isCounted) await limiter.giveBack(origin.client);
    throw error;
  }
}

async function writeWithRetry(
  services: SubmissionServices,
  submission: NewSubmission,
  origin: SubmissionOrigin,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await writeSubmission(services, submission, origin);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      if (attempt >= MAX_TRIES || !isQuickFailure(error)) {
        throw makeUnavailableError(UNAVAILABLE, error);
      }
      await wait(RETRY_PAUSE * attempt);
    }
  }
}

/** A time-out has used up the visitor's patience already; a cut connection fails at once. */
function isQuickFailure(error: unknown): boolean {
  return error instanceof Error && !/time-?out/i.test(error.message);
}

/** Best effort: the sweep makes whatever job is missing. */
function scheduleInBackground(
  { scheduler, logger }: SubmissionServices,
  deliveries: readonly ScheduledDelivery[],
): void {
  if (deliveries.length === 0 || !scheduler.isReady()) return;

  scheduler.schedule(deliveries).catch((error: unknown) => {
    logger.warn({ err: error }, 'The jobs of a submission could not be queued; the sweep will.');
  });
}

/**
 * Accepts a contact request: returns once it and its deliveries are committed, and never waits
 * for the queue.
 * @throws AppError id-conflict, rate-limited or unavailable
 */
export async function submitContactRequest(
  services: SubmissionServices,
  { submitted_at: submittedAt, id, ...fields }: ContactRequest,
  origin: SubmissionOrigin,
): Promise<SubmissionAnswer> {
  const submission: NewSubmission = {
    ...fields,
    id: id ?? randomUUID(),
    submittedAt,
    bodyHash: hashContactFields(fields),
  };
  const outcome = await writeWithRetry(services, submission, origin);
  scheduleInBackground(services, outcome.scheduled);

  return { id: outcome.id, isNew: outcome.isNew };
}
