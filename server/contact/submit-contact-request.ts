import { createHash, randomUUID } from 'node:crypto';
import { parseContactRequest, type ContactRequest } from '../../shared/contact/contact-request.ts';
import { contactFieldNames } from '../../shared/contact/contact-schema.ts';
import { findSpamSignals, type QuarantineReason } from '../../shared/contact/spam-signals.ts';
import { withoutAcknowledgment, type PlannedDelivery, type ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import {
  findBodyHash,
  findRecentRepeat,
  insertSubmission,
  type NewSubmission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { lockInTransaction } from '../../shared/node/database/advisory-lock.ts';
import type { Database, Transaction } from '../../shared/node/database/database.ts';
import { insertWithDeliveries, type DeliveryPlanner } from '../../shared/node/deliveries/delivery-store.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import type { SubmissionChannel, WebMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { Minute } from '../../shared/time.ts';
import { scheduleInBackground, type SchedulingServices } from '../deliveries/schedule-in-background.ts';
import { writeWithRetry } from '../http/database-timeout.ts';
import { AppError } from '../http/errors.ts';
import type { SubmissionLimits } from './submission-limits.ts';

const UNAVAILABLE =
  'We can’t store your request right now. Please try again in a minute; what you typed is kept.';

/** A plain form submission has no id, so the same content within this time is treated as the same request. */
const REPEAT_WINDOW = 10 * Minute;

export interface SubmissionServices extends SchedulingServices {
  readonly database: Database;
  readonly limits: SubmissionLimits;
  readonly plan: DeliveryPlanner;
  readonly metrics: WebMetrics;
}

interface SubmissionOrigin {
  readonly reqId: string;
  /** The address that the rate limit counts. */
  readonly client: string;
  readonly channel: SubmissionChannel;
}

/** A parsed request. It is held if it has spam signals. */
interface AssessedSubmission {
  readonly submission: NewSubmission;
  readonly signals: readonly QuarantineReason[];
  /** A form posted without JavaScript, which can't have an id. */
  readonly isPlainForm: boolean;
  /** A trial request, which is not stored. */
  readonly isTrial?: true;
}

interface WriteResult {
  readonly id: string;
  /** False for a repeat, which gets the first response again. */
  readonly isNew: boolean;
  readonly scheduled: readonly ScheduledDelivery[];
  /** Why a new request is held as suspected spam. Not shown to the visitor. */
  readonly heldFor?: readonly QuarantineReason[];
}

/** Thrown to roll back the transaction of a trial request. */
class TrialDone extends SiteError {}

/** Parses a request and finds its spam signals. @throws AppError invalid-fields */
function assessRequest(body: unknown, channel: SubmissionChannel): AssessedSubmission {
  const parsed = parseContactRequest(body);
  if (!parsed.ok) {
    throw new AppError('invalid-fields', 'Please check the fields that are marked.', { errors: parsed.errors });
  }
  const { submitted_at: submittedAt, id, spam, ...fields }: ContactRequest = parsed.value;
  // Hash the fields as stored, so that only equal content has an equal hash.
  const content = JSON.stringify(contactFieldNames.map((name) => fields[name]));
  const bodyHash = createHash('sha256').update(content).digest('hex');

  return {
    submission: { ...fields, id: id ?? randomUUID(), submittedAt, bodyHash },
    signals: findSpamSignals(fields, spam),
    isPlainForm: channel === 'form' && id === null,
  };
}

const makeConflictError = () =>
  new AppError('id-conflict', 'This id was used for another request. Please send it again.');

/** Returns the key that repeats share: the id, or a hash of the content for a plain form. */
const getRequestKey = ({ submission, isPlainForm }: AssessedSubmission) =>
  isPlainForm ? submission.bodyHash : submission.id;

/** Returns the earlier result if this request is a repeat. @throws AppError id-conflict */
async function findRepeat(
  database: Database | Transaction,
  { submission: { id, bodyHash }, isPlainForm }: AssessedSubmission,
): Promise<WriteResult | undefined> {
  if (isPlainForm) {
    const first = await findRecentRepeat(database, bodyHash, REPEAT_WINDOW);

    return first === undefined ? undefined : { id: first, isNew: false, scheduled: [] };
  }
  const storedHash = await findBodyHash(database, id);
  if (storedHash === undefined) return undefined;
  if (storedHash !== bodyHash) throw makeConflictError();

  return { id, isNew: false, scheduled: [] };
}

/** Inserts the request, and its deliveries unless it is held. Returns undefined if its id exists. */
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

/** Inserts a request, or finds one that another process has just stored. @throws AppError id-conflict */
async function insertUnlessRepeated(
  transaction: Transaction,
  assessed: AssessedSubmission,
  plan: readonly PlannedDelivery[],
): Promise<WriteResult> {
  if (assessed.isPlainForm) {
    // Without the browser's id, no unique key prevents a second row.
    await lockInTransaction(transaction, getRequestKey(assessed));
    const repeat = await findRepeat(transaction, assessed);
    if (repeat) return repeat;
  }
  const result = (await insertAssessed(transaction, assessed, plan)) ?? (await findRepeat(transaction, assessed));
  if (!result) throw makeConflictError();

  return result;
}

/** Counts and writes a request. Counts first, because a hung Redis would keep the transaction open. */
async function countAndInsert(
  { database, limits, plan }: SubmissionServices,
  assessed: AssessedSubmission,
  client: string,
): Promise<WriteResult> {
  const counted = await limits.consume(client);
  const signals = [...assessed.signals, ...counted.signals];
  let result: WriteResult | undefined;

  try {
    result = await database.transaction(async (transaction) => {
      const planned = await plan(transaction);

      const written = await insertUnlessRepeated(
        transaction,
        { ...assessed, signals },
        counted.mayAcknowledge ? planned : withoutAcknowledgment(planned),
      );
      if (assessed.isTrial) throw new TrialDone();

      return written;
    });

    return result;
  } finally {
    if (!result?.isNew) await counted.refund();
  }
}

/** Writes a request in turn, unless it repeats one. @throws AppError id-conflict, rate-limited or unavailable; TrialDone */
function insertInTurn(services: SubmissionServices, assessed: AssessedSubmission, client: string): Promise<WriteResult> {
  const { database, limits } = services;
  // Submissions of the same request take turns, so that concurrent repeats are not counted.
  const write = () =>
    limits.runInTurn(
      getRequestKey(assessed),
      async () => (await findRepeat(database, assessed)) ?? countAndInsert(services, assessed, client),
    );

  // Retrying is safe because of the id.
  return limits.runLimited(client, () => writeWithRetry(write, UNAVAILABLE));
}

/** Accepts a request and rolls it back: nothing is stored, counted or sent. */
export async function processTrialRequest(services: SubmissionServices, body: unknown, client: string): Promise<void> {
  const assessed = assessRequest(body, 'json');
  if (assessed.signals.length > 0) throw new AppError('invalid-fields', 'This would be held as possible spam.');
  try {
    await insertInTurn(services, { ...assessed, isTrial: true }, client);
  } catch (error) {
    if (!(error instanceof TrialDone)) throw error;
  }
}

/**
 * Accepts a contact request and returns once it and its deliveries are committed. Suspected spam has no deliveries, which
 * the response doesn't reveal.
 * @throws AppError invalid-fields, id-conflict, rate-limited or unavailable
 */
export async function submitContactRequest(
  services: SubmissionServices,
  body: unknown,
  { reqId, client, channel }: SubmissionOrigin,
): Promise<WriteResult> {
  const { logger, metrics } = services;
  const result = await insertInTurn(services, assessRequest(body, channel), client);
  const { heldFor, isNew, scheduled, id: submissionId } = result;
  if (heldFor !== undefined) logger.info({ reqId, submissionId, reasons: heldFor }, 'A request is held as suspected spam.');
  else if (isNew) logger.info({ reqId, submissionId }, 'A request is stored.');
  metrics.countSubmission(channel, !isNew ? 'repeated' : heldFor === undefined ? 'accepted' : 'quarantined');
  scheduleInBackground(services, scheduled);

  return result;
}
