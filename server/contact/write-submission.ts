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
import { AppError } from '../http/errors.ts';
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

/** The key that two posts of one request share: a plain form has no id, but the same content. */
const getRequestKey = ({ submission, origin }: AssessedSubmission) =>
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

/** Inserts the request, with its deliveries unless it is held. @returns undefined when its id exists */
async function insertAssessed(
  transaction: Transaction,
  { submission, assessment, proof }: AssessedSubmission,
  counted: CountedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteResult | undefined> {
  const { id } = submission;
  const heldFor = await findQuarantineReason(transaction, assessment, proof);
  if (heldFor === undefined) {
    const scheduled = await insertWithDeliveries(transaction, submission, adaptPlan(plan, counted));

    return scheduled && { id, isNew: true, scheduled };
  }
  const held = { quarantineReason: heldFor, heldPriority: getPriority(counted.networkRank) };
  const isInserted = await insertSubmission(transaction, { ...submission, ...held });

  return isInserted ? { id, isNew: true, scheduled: [], heldFor } : undefined;
}

/** Inserts a request, or finds the one that another process has stored meanwhile. @throws AppError id-conflict */
async function insertUnlessRepeated(
  transaction: Transaction,
  assessed: AssessedSubmission,
  counted: CountedSubmission,
  plan: DeliveryPlanner,
): Promise<WriteResult> {
  if (assessed.origin.isPlainForm) {
    // No id of its own keeps it from being stored twice.
    await lockInTransaction(transaction, getRequestKey(assessed));
    const repeat = await findRepeat(transaction, assessed);
    if (repeat) return repeat;
  }
  const result =
    (await insertAssessed(transaction, assessed, counted, await plan(transaction))) ??
    (await findRepeat(transaction, assessed));
  if (!result) throw makeConflictError();

  return result;
}

/**
 * Counts a request and writes it in one transaction. The limits are consumed before, because a Redis that hangs would
 * keep the transaction open.
 * @throws AppError id-conflict or rate-limited
 */
async function writeCounted(
  { database, limits, plan }: WriteServices,
  assessed: AssessedSubmission,
): Promise<WriteResult> {
  const counted = await limits.consume(assessed.origin.client);
  let result: WriteResult | undefined;

  try {
    const assessment = addRateSignals(assessed.assessment, counted.signals);
    result = await database.transaction((transaction) =>
      insertUnlessRepeated(transaction, { ...assessed, assessment }, counted, plan),
    );

    return result;
  } finally {
    if (!result?.isNew) await counted.refund();
  }
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
  // Posts of one request take turns, so that a repeat in progress uses up no place of its client's limit.
  const result = await services.limits.runInTurn(
    getRequestKey(assessed),
    async () => (await findRepeat(services.database, assessed)) ?? writeCounted(services, assessed),
  );

  return result.isNew ? result : releaseByProof(services, result, assessed);
}
