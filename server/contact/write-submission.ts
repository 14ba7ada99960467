import {
  getPriority,
  prioritizeDeliveries,
  withoutAcknowledgment,
  type PlannedDelivery,
  type ScheduledDelivery,
} from '../../shared/deliveries/delivery.ts';
import {
  findRecentRepeat,
  findStoredRequest,
  insertSubmission,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { spendProof, type SpentProof } from '../../shared/node/contact/spent-proofs.ts';
import { lockInTransaction } from '../../shared/node/database/advisory-lock.ts';
import type { Database, Transaction } from '../../shared/node/database/database.ts';
import type { DeliveryPlanner } from '../../shared/node/deliveries/delivery-planner.ts';
import { insertWithDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { releaseSubmission } from '../../shared/node/held-requests/held-requests.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from '../http/errors.ts';
import { refuseOverLimit } from '../rate-limits/rate-limiter.ts';
import { addRateSignals, isReleasedByProof, type SpamAssessment } from './assess-spam.ts';
import type { CountedSubmission, SubmissionLimits } from './submission-limits.ts';

/** A plain form post has no id: the same content within this time is the same request. */
const REPEAT_WINDOW = 10 * Minute;

export interface WriteServices {
  readonly database: Database;
  readonly limits: SubmissionLimits;
  readonly plan: DeliveryPlanner;
}

export interface SubmissionOrigin {
  /** The request's id in the log. */
  readonly reqId: string;
  /** The address that the rate limit counts. */
  readonly client: string;
  /** A form posted without JavaScript, which can't carry an id. */
  readonly isPlainForm: boolean;
}

/** A request that was assessed, before anything is written. */
interface AssessedSubmission {
  readonly submission: NewSubmission;
  readonly assessment: SpamAssessment;
  /** A correct proof of work, which counts unless it was spent before. */
  readonly proof: SpentProof | undefined;
  readonly origin: SubmissionOrigin;
}

interface WriteResult {
  readonly id: string;
  /** False for a repeat, which gets the first response again. */
  readonly isNew: boolean;
  readonly scheduled: readonly ScheduledDelivery[];
  /** Why it is held as suspected spam, if it is. */
  readonly heldFor?: string | undefined;
}

const makeConflictError = () =>
  new AppError('id-conflict', 'This id was used for another request. Please send it again.');

/** The key of the lock that two posts of one request share. */
const getLockKey = ({ submission, origin }: AssessedSubmission) =>
  origin.isPlainForm ? submission.bodyHash : submission.id;

/** The first result, if this request repeats one. @throws AppError id-conflict */
async function findRepeat(
  database: Database | Transaction,
  { submission, origin }: AssessedSubmission,
): Promise<WriteResult | undefined> {
  if (origin.isPlainForm) {
    const id = await findRecentRepeat(database, submission.bodyHash, REPEAT_WINDOW);

    return id === undefined ? undefined : { id, isNew: false, scheduled: [] };
  }

  const stored = await findStoredRequest(database, submission.id);
  if (!stored) return undefined;
  if (stored.bodyHash !== submission.bodyHash) throw makeConflictError();

  return { id: submission.id, isNew: false, scheduled: [], heldFor: stored.heldFor };
}

/** Why the request is to be held; a proof of work overrides suspicion, once. */
async function findQuarantineReason(
  transaction: Transaction,
  assessment: SpamAssessment,
  proof: SpentProof | undefined,
): Promise<string | undefined> {
  if (assessment.kind === 'clean') return undefined;
  const isProven =
    assessment.kind === 'suspected' && proof !== undefined && (await spendProof(transaction, proof));

  return isProven ? undefined : assessment.reasons.join();
}

/** The plan of a request as its network has earned it. */
const adaptPlan = (
  plan: readonly PlannedDelivery[],
  { networkRank, mayAcknowledge }: Pick<CountedSubmission, 'networkRank' | 'mayAcknowledge'>,
) => prioritizeDeliveries(mayAcknowledge ? plan : withoutAcknowledgment(plan), networkRank);

/** Inserts the request, with its deliveries unless it is held. @throws AppError id-conflict */
async function insertAssessed(
  transaction: Transaction,
  assessed: AssessedSubmission,
  counted: CountedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteResult> {
  const { submission, assessment, proof } = assessed;
  const { id } = submission;
  const heldFor = await findQuarantineReason(transaction, assessment, proof);
  if (heldFor === undefined) {
    const scheduled = await insertWithDeliveries(transaction, submission, adaptPlan(plan, counted));
    if (!scheduled) throw makeConflictError();

    return { id, isNew: true, scheduled };
  }
  const held = { quarantineReason: heldFor, heldPriority: getPriority(counted.networkRank) };
  if (!(await insertSubmission(transaction, { ...submission, ...held }))) throw makeConflictError();

  return { id, isNew: true, scheduled: [], heldFor };
}

/** Inserts a request that was counted and repeats none. @throws AppError rate-limited or id-conflict */
async function writeCounted(
  transaction: Transaction,
  assessed: AssessedSubmission,
  counted: CountedSubmission,
  plan: DeliveryPlanner,
): Promise<WriteResult> {
  refuseOverLimit(counted.client);
  const assessment = addRateSignals(assessed.assessment, counted.signals);

  return insertAssessed(transaction, { ...assessed, assessment }, counted, await plan(transaction));
}

/** Writes the request and its deliveries in one transaction, or finds that it is a repeat. */
async function writeUnlessRepeated(
  { database, limits, plan }: WriteServices,
  assessed: AssessedSubmission,
): Promise<WriteResult> {
  let counted: CountedSubmission | undefined;
  let result: WriteResult | undefined;

  try {
    result = await database.transaction(async (transaction) => {
      await lockInTransaction(transaction, getLockKey(assessed));
      // Before counting: a counted repeat would use up a place of the limit until its refund.
      const repeat = await findRepeat(transaction, assessed);
      if (repeat) return repeat;

      // Under the lock: the same request, posted at the same time, waits, and then finds this one.
      counted = await limits.consume(assessed.origin.client);

      return writeCounted(transaction, assessed, counted, plan);
    });

    return result;
  } finally {
    if (!result?.isNew) await counted?.refund();
  }
}

/** Over the limit a repeat still gets its response; for everything else nothing is written. */
async function findRepeatOrRefuse(
  database: Database,
  assessed: AssessedSubmission,
  retryAfterSeconds: number,
): Promise<WriteResult> {
  await lockInTransaction(database, getLockKey(assessed));
  const repeat = await findRepeat(database, assessed);
  if (!repeat) throw makeRateLimitError(retryAfterSeconds);

  return repeat;
}

/** Releases a request that is only suspected, once its repeat brings a proof of work. */
async function releaseByProof(
  { database, limits, plan }: WriteServices,
  result: WriteResult,
  { proof, origin }: AssessedSubmission,
): Promise<WriteResult> {
  if (!proof || !isReleasedByProof(result.heldFor)) return result;
  const counted = await limits.consumeRelease(origin.client);
  let scheduled: ScheduledDelivery[] | undefined;

  try {
    scheduled = await database.transaction(async (transaction) =>
      (await spendProof(transaction, proof))
        ? releaseSubmission(transaction, result.id, adaptPlan(await plan(transaction), counted))
        : undefined,
    );
  } finally {
    if (!scheduled) await counted.refund();
  }

  return scheduled ? { id: result.id, isNew: false, scheduled } : result;
}

/**
 * Writes the request and its deliveries, or finds that it is a repeat; suspected spam gets no deliveries.
 * Only what is stored counts for the limit, and what the limit refuses writes nothing.
 * @throws AppError id-conflict or rate-limited
 */
export async function writeSubmission(
  services: WriteServices,
  assessed: AssessedSubmission,
): Promise<WriteResult> {
  const { overLimitBy, retryAfterSeconds } = await services.limits.peek(assessed.origin.client);
  const result =
    overLimitBy > 0
      ? await findRepeatOrRefuse(services.database, assessed, retryAfterSeconds)
      : await writeUnlessRepeated(services, assessed);

  return result.isNew ? result : releaseByProof(services, result, assessed);
}
