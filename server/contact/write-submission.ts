import {
  prioritizeDeliveries,
  type PlannedDelivery,
  type ScheduledDelivery,
} from '../../shared/deliveries/delivery.ts';
import {
  findRecentRepeat,
  findStoredRequest,
  insertSubmission,
  insertWithDeliveries,
  lockRequest,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { releaseSubmission } from '../../shared/node/contact/quarantine.ts';
import { spendProof, type SpentProof } from '../../shared/node/contact/spent-proofs.ts';
import type { Database, Transaction } from '../../shared/node/database/database.ts';
import { Minute } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from '../http/errors.ts';
import { addDoubts, canBeSettled, type Verdict } from './assess-spam.ts';
import type { CountedSubmission, SubmissionLimits } from './submission-limits.ts';

/** A plain form post has no id: the same content within this time is the same request. */
const REPEAT_WINDOW = 10 * Minute;

export interface WriteServices {
  readonly database: Database;
  readonly limits: SubmissionLimits;
  readonly plan: readonly PlannedDelivery[];
}

export interface SubmissionOrigin {
  /** Whom the rate limit counts. */
  readonly client: string;
  /** A form posted without JavaScript, which can't carry an id. */
  readonly isPlainForm: boolean;
}

/** A request that was looked at, before anything is written. */
export interface AssessedSubmission {
  readonly submission: NewSubmission;
  readonly verdict: Verdict;
  /** A proof of work that is right, and good unless it was used before. */
  readonly proof: SpentProof | undefined;
  readonly origin: SubmissionOrigin;
}

/** What became of a request. */
export interface WriteOutcome {
  readonly id: string;
  /** False for a repeat, which gets the first answer again. */
  readonly isNew: boolean;
  readonly scheduled: readonly ScheduledDelivery[];
  /** Why it is held as suspected spam, if it is. */
  readonly heldFor?: string | undefined;
}

const makeConflictError = () =>
  new AppError('id-conflict', 'This id was used for another request. Please send it again.');

/** What two posts of one request have in common. */
const getLockKey = ({ submission, origin }: AssessedSubmission) =>
  origin.isPlainForm ? submission.bodyHash : submission.id;

/** The answer given before, if this request repeats one. @throws AppError id-conflict */
async function findRepeat(
  database: Database | Transaction,
  { submission, origin }: AssessedSubmission,
): Promise<WriteOutcome | undefined> {
  if (origin.isPlainForm) {
    const id = await findRecentRepeat(database, submission.bodyHash, REPEAT_WINDOW);

    return id === undefined ? undefined : { id, isNew: false, scheduled: [] };
  }

  const stored = await findStoredRequest(database, submission.id);
  if (!stored) return undefined;
  if (stored.bodyHash !== submission.bodyHash) throw makeConflictError();

  return { id: submission.id, isNew: false, scheduled: [], heldFor: stored.heldFor };
}

/** Why the request is to be held; a proof of work settles doubts, once. */
async function findQuarantineReason(
  transaction: Transaction,
  verdict: Verdict,
  proof: SpentProof | undefined,
): Promise<string | undefined> {
  if (verdict.kind === 'clean') return undefined;
  const isSettled =
    verdict.kind === 'doubtful' && proof !== undefined && (await spendProof(transaction, proof));

  return isSettled ? undefined : verdict.reasons.join();
}

/** Writes the request and what is to be done about it. @throws AppError id-conflict */
async function insertJudged(
  transaction: Transaction,
  judged: AssessedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteOutcome> {
  const { submission, verdict, proof } = judged;
  const heldFor = await findQuarantineReason(transaction, verdict, proof);
  const scheduled =
    heldFor === undefined
      ? await insertWithDeliveries(transaction, submission, plan)
      : (await insertSubmission(transaction, { ...submission, quarantineReason: heldFor })) && [];
  if (scheduled) return { id: submission.id, isNew: true, scheduled, heldFor };

  const repeat = await findRepeat(transaction, judged);
  if (!repeat) throw makeConflictError();

  return repeat;
}

/** Goes on with what is known of a request now that it is counted. @throws AppError rate-limited */
async function writeCounted(
  transaction: Transaction,
  judged: AssessedSubmission,
  counted: CountedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteOutcome> {
  const { excess, waitSeconds } = counted.client;
  const verdict = addDoubts(judged.verdict, counted.doubts);
  // A repeat is neither refused nor does it use up a proof of work.
  const looks = excess > 0 || verdict.kind !== judged.verdict.kind;
  const repeat = looks && (await findRepeat(transaction, judged));
  if (repeat) return repeat;
  if (excess > 0) throw makeRateLimitError(waitSeconds);

  return insertJudged(
    transaction,
    { ...judged, verdict },
    prioritizeDeliveries(plan, counted.networkRank),
  );
}

/** Writes the request and its deliveries in one transaction, or finds that it is a repeat. */
async function writeUnlessRepeated(
  { database, limits, plan }: WriteServices,
  judged: AssessedSubmission,
): Promise<WriteOutcome> {
  const { verdict, origin } = judged;
  // Hardly any request is a repeat: most are written at once, and looked for when their id exists.
  const looksFirst = origin.isPlainForm || verdict.kind !== 'clean';
  let counted: CountedSubmission | undefined;
  let outcome: WriteOutcome | undefined;

  try {
    outcome = await database.transaction(async (transaction) => {
      await lockRequest(transaction, getLockKey(judged));
      const repeat = looksFirst && (await findRepeat(transaction, judged));
      if (repeat) return repeat;

      // Under the lock: who finds the limit used up by a twin waits for it, and finds its row.
      counted = await limits.consume(origin.client);

      return writeCounted(transaction, judged, counted, plan);
    });

    return outcome;
  } finally {
    if (!outcome?.isNew) await counted?.refund();
  }
}

/** A repeat gets its answer also when the limit is used up; for all else nothing is written. */
async function findRepeatOrRefuse(
  database: Database,
  judged: AssessedSubmission,
  waitSeconds: number,
): Promise<WriteOutcome> {
  await lockRequest(database, getLockKey(judged));
  const repeat = await findRepeat(database, judged);
  if (!repeat) throw makeRateLimitError(waitSeconds);

  return repeat;
}

/** Releases a request that is held because of doubts alone, once its repeat brings a proof of work. */
async function settleByProof(
  { database, limits, plan }: WriteServices,
  outcome: WriteOutcome,
  { proof, origin }: AssessedSubmission,
): Promise<WriteOutcome> {
  if (!proof || !canBeSettled(outcome.heldFor)) return outcome;
  const rank = await limits.peekNetworkRank(origin.client);
  const scheduled = await database.transaction(async (transaction) =>
    (await spendProof(transaction, proof))
      ? releaseSubmission(transaction, outcome.id, prioritizeDeliveries(plan, rank))
      : undefined,
  );

  return scheduled ? { id: outcome.id, isNew: false, scheduled } : outcome;
}

/**
 * Writes the request and its deliveries, or finds that it is a repeat; a suspect gets no deliveries.
 * Only what is stored counts for the limit, and what the limit refuses writes nothing.
 * @throws AppError id-conflict or rate-limited
 */
export async function writeSubmission(
  services: WriteServices,
  judged: AssessedSubmission,
): Promise<WriteOutcome> {
  const { excess, waitSeconds } = await services.limits.peek(judged.origin.client);
  const outcome =
    excess > 0
      ? await findRepeatOrRefuse(services.database, judged, waitSeconds)
      : await writeUnlessRepeated(services, judged);

  return outcome.isNew ? outcome : settleByProof(services, outcome, judged);
}
