import type { QuarantineReason } from '../../shared/contact/spam-signals.ts';
import {
  withoutAcknowledgment,
  type PlannedDelivery,
  type ScheduledDelivery,
} from '../../shared/deliveries/delivery.ts';
import {
  findBodyHash,
  findRecentRepeat,
  insertSubmission,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { lockInTransaction } from '../../shared/node/database/advisory-lock.ts';
import type { Database, Transaction } from '../../shared/node/database/database.ts';
import type { DeliveryPlanner } from '../../shared/node/deliveries/delivery-planner.ts';
import { insertWithDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { Minute } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import type { SubmissionLimits } from './submission-limits.ts';

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
  /** The signals for which it is held; there may be none. */
  readonly signals: readonly QuarantineReason[];
  readonly origin: SubmissionOrigin;
}

interface WriteResult {
  readonly id: string;
  /** False for a repeat, which gets the first response again. */
  readonly isNew: boolean;
  readonly scheduled: readonly ScheduledDelivery[];
  /** Why a new request is held as suspected spam, if it is. */
  readonly heldFor?: readonly QuarantineReason[];
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

  const bodyHash = await findBodyHash(database, submission.id);
  if (bodyHash === undefined) return undefined;
  if (bodyHash !== submission.bodyHash) throw makeConflictError();

  return { id: submission.id, isNew: false, scheduled: [] };
}

/** Inserts the request, with its deliveries unless it is held. @returns undefined when its id exists */
async function insertAssessed(
  transaction: Transaction,
  { submission, signals }: AssessedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteResult | undefined> {
  const { id } = submission;
  if (signals.length === 0) {
    const scheduled = await insertWithDeliveries(transaction, submission, plan);

    return scheduled && { id, isNew: true, scheduled };
  }
  const isInserted = await insertSubmission(transaction, { ...submission, quarantineReasons: signals });

  return isInserted ? { id, isNew: true, scheduled: [], heldFor: signals } : undefined;
}

/** Inserts a request, or finds the one that another process has stored meanwhile. @throws AppError id-conflict */
async function insertUnlessRepeated(
  transaction: Transaction,
  assessed: AssessedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteResult> {
  if (assessed.origin.isPlainForm) {
    // No id of its own keeps it from being stored twice.
    await lockInTransaction(transaction, getRequestKey(assessed));
    const repeat = await findRepeat(transaction, assessed);
    if (repeat) return repeat;
  }
  const result =
    (await insertAssessed(transaction, assessed, plan)) ?? (await findRepeat(transaction, assessed));
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
  const signals = [...assessed.signals, ...counted.signals];
  let result: WriteResult | undefined;

  try {
    result = await database.transaction(async (transaction) => {
      const planned = await plan(transaction);

      return insertUnlessRepeated(
        transaction,
        { ...assessed, signals },
        counted.mayAcknowledge ? planned : withoutAcknowledgment(planned),
      );
    });

    return result;
  } finally {
    if (!result?.isNew) await counted.refund();
  }
}

/**
 * Writes the request and its deliveries, or finds that it is a repeat; suspected spam gets no deliveries.
 * Only what is stored counts for the limit, and what the limit refuses writes nothing.
 * @throws AppError id-conflict or rate-limited
 */
export function writeSubmission(
  services: WriteServices,
  assessed: AssessedSubmission,
): Promise<WriteResult> {
  // Posts of one request take turns, so that a repeat in progress uses up no place of its client's limit.
  return services.limits.runInTurn(
    getRequestKey(assessed),
    async () => (await findRepeat(services.database, assessed)) ?? writeCounted(services, assessed),
  );
}
