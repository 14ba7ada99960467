import { randomUUID } from 'node:crypto';
import type { ScheduledDelivery } from '../../deliveries/delivery.ts';
import { Minute } from '../../time.ts';
import {
  lockSubmission,
  SUBMISSIONS,
  type Submission,
  type SubmissionRow,
} from '../contact/contact-submission-store.ts';
import {
  countOutcomesOfDay,
  findUndoable,
  insertEvent,
  listEventsOf,
  markEventUndone,
  type OutcomeEvent,
  type SubmissionEvent,
} from '../contact/submission-events.ts';
import { getSubmissionState } from '../contact/submission-state.ts';
import type { Database, RowChange, Transaction } from '../database/database.ts';
import { wasOutcomeMailed, insertEventMail, readDueNotice, updateWanted } from '../deliveries/outcome-mails.ts';
import type { LinkReader } from '../mail/signed-action-link.ts';

/*
 * Actions that sales can take on a request. Each is one transaction that locks the request, changes its columns and
 * inserts an event. Columns and events determine which deliveries are still wanted.
 */

/** An action with its values. */
export type WantedOutcome =
  | { readonly what: 'contacted' }
  | { readonly what: 'unfit'; readonly reason: string | null }
  /** `to` is a sales address. */
  | { readonly what: 'assign'; readonly to: string }
  /** `isPastPromise`: if the promised time is before `until`, no mail is sent at the promised time. */
  | { readonly what: 'snooze'; readonly until: Date; readonly isPastPromise: boolean };

interface OutcomeContext {
  readonly transaction: Transaction;
  readonly submission: Submission;
  readonly eventId: string;
  /** The sales address whose link was used; null if the link names nobody. */
  readonly by: string | null;
  readonly isKnown: boolean;
}

const update = (
  { transaction, submission }: Pick<OutcomeContext, 'transaction' | 'submission'>,
  change: RowChange<SubmissionRow>,
) => transaction<SubmissionRow>(SUBMISSIONS).where({ id: submission.id }).update(change);

/** Ends the follow-up: the request is answered, or is not a fit. */
async function settle(
  context: OutcomeContext,
  outcome: Extract<WantedOutcome, { what: 'contacted' | 'unfit' }>,
): Promise<boolean> {
  const { transaction, submission, eventId: id, by, isKnown } = context;
  const { what } = outcome;
  const details = what === 'unfit' ? { reason: outcome.reason, isKnown } : { isKnown };
  await update(
    context,
    what === 'unfit'
      ? { unfit_at: transaction.fn.now(), unfit_reason: outcome.reason }
      : { contacted_at: transaction.fn.now() },
  );
  await insertEvent(transaction, { id, submissionId: submission.id, by, what, details });

  return true;
}

/**
 * Assigns the request to a salesperson, who gets a mail unless they took it themselves. An unsent mail to the previous
 * assignee is cancelled. Otherwise anybody with a link could fill the queue with mails.
 */
async function assign(context: OutcomeContext, to: string): Promise<boolean> {
  const { transaction, submission, eventId, by, isKnown } = context;
  if (submission.assignedTo === to) return false;
  const { id: submissionId, assignedTo: from } = submission;
  await update(context, { assigned_to: to });
  await insertEvent(transaction, { id: eventId, submissionId, by, what: 'assign', details: { to, from, isKnown } });
  if (to !== by) await insertEventMail(transaction, { submissionId, eventId, stage: 'new', recipient: to });

  return true;
}

/** Two times closer together than this count as the same choice, because a form may be submitted twice. */
const SAME_CHOICE_TOLERANCE = 1 * Minute;

const findSnooze = (events: readonly SubmissionEvent[]) =>
  events.findLast(({ what, undoneAt }) => what === 'snooze' && undoneAt === null);

/**
 * Snoozes the request. Mails planned for an earlier time are not sent, and the reader gets a reminder at the chosen
 * time. The due notice is still sent at the promised time. If the reader opts out of that, everyone in sales gets it
 * at the chosen time. The notice also moves if the promised time has passed and an earlier snooze moved it.
 */
async function snooze(
  context: OutcomeContext,
  { until, isPastPromise }: Extract<WantedOutcome, { what: 'snooze' }>,
): Promise<boolean> {
  const { transaction, submission, eventId, by, isKnown } = context;
  const submissionId = submission.id;
  const last = findSnooze(await listEventsOf(transaction, submissionId));
  const isRepeated =
    Math.abs(until.getTime() - (last?.until?.getTime() ?? 0)) < SAME_CHOICE_TOLERANCE &&
    last?.details.isPastPromise === isPastPromise &&
    last.by === by;
  if (isRepeated) return false;
  const before = await readDueNotice(transaction, submissionId);
  const movesNotice = isPastPromise || (before.isPromiseOver && last?.details.movesNotice === true);
  await update(context, { snoozed_until: until, snoozed_past_promise: movesNotice });
  const details = { isPastPromise, movesNotice, isKnown };
  await insertEvent(transaction, { id: eventId, submissionId, by, what: 'snooze', until, details });
  const after = await readDueNotice(transaction, submissionId);
  const isDue = before.willBeSent && !after.willBeSent;
  await insertEventMail(transaction, {
    submissionId,
    eventId,
    dueAt: until,
    ...(isDue ? { stage: 'due', recipient: null } : { stage: 'reminder', recipient: by }),
  });

  return true;
}

/** Returns whether everyone in sales should know about an outcome. A reminder before the promised time is private. */
const notifiesAllSales = (outcome: WantedOutcome) => outcome.what !== 'snooze' || outcome.isPastPromise;

/**
 * Returns who gets a mail about an outcome: null for everyone in sales, undefined for nobody. If the reader takes a
 * request, its previous assignee gets the mail.
 */
function findNotified({ submission, by, isKnown }: OutcomeContext, outcome: WantedOutcome, notifiesOthers: boolean) {
  if (!isKnown || (notifiesOthers && notifiesAllSales(outcome))) return null;

  return outcome.what === 'assign' && outcome.to === by ? (submission.assignedTo ?? undefined) : undefined;
}

/** Applies an outcome and returns whether it changed anything. */
function apply(context: OutcomeContext, outcome: WantedOutcome): Promise<boolean> {
  if (outcome.what === 'assign') return assign(context, outcome.to);
  if (outcome.what === 'snooze') return snooze(context, outcome);

  return settle(context, outcome);
}

/** Maximum number of outcomes that unknown readers may record per request in 24 hours. Each sends up to two mails. */
const MAX_OUTCOMES = 10;

/**
 * Applies an outcome to an open request. Repeating it changes nothing. Sales gets a mail if the reader is unknown.
 * @param notifiesOthers whether sales also gets a mail if the reader is known
 * @returns the deliveries to queue after the commit; `settled` if the request isn't open, `limited` if unknown readers
 *   have reached the daily limit
 */
export function applyOutcome(
  database: Database,
  submissionId: string,
  outcome: WantedOutcome,
  { address: by, isKnown }: LinkReader,
  notifiesOthers = false,
): Promise<readonly ScheduledDelivery[] | 'settled' | 'limited'> {
  return database.transaction(async (transaction) => {
    const submission = await lockSubmission(transaction, submissionId);
    if (!submission || getSubmissionState(submission) !== 'open') return 'settled';
    if (!isKnown && (await countOutcomesOfDay(transaction, submissionId)) >= MAX_OUTCOMES) return 'limited';
    const eventId = randomUUID();
    const context = { transaction, submission, eventId, by, isKnown };
    const isChanged = await apply(context, outcome);
    const recipient = findNotified(context, outcome, notifiesOthers);
    if (isChanged && recipient !== undefined) {
      await insertEventMail(transaction, { submissionId, eventId, stage: 'outcome', recipient });
    }

    return updateWanted(transaction, [submissionId]);
  });
}

/** Returns the values that a request's columns had before an event. */
function getColumnsBefore(event: OutcomeEvent, events: readonly SubmissionEvent[]) {
  switch (event.what) {
    case 'contacted':
      return { contacted_at: null };
    case 'unfit':
      return { unfit_at: null, unfit_reason: null };
    case 'assign':
      return { assigned_to: event.details.from ?? null };
    case 'snooze': {
      const { until = null, details } = findSnooze(events.filter(({ id }) => id !== event.id)) ?? {};

      return { snoozed_until: until, snoozed_past_promise: details?.movesNotice ?? false };
    }
  }
}

/**
 * Undoes a request's last outcome that is still in effect, unless it is too old for an unknown reader to undo. If sales
 * got a mail about the outcome, sales gets another one about the undo.
 * @param eventId the event to undo; default: the last one, unless something has been undone since then
 * @returns the deliveries to queue after the commit
 */
export function undoOutcome(
  database: Database,
  submissionId: string,
  eventId: string | undefined,
  { address: by, isKnown }: LinkReader,
): Promise<readonly ScheduledDelivery[]> {
  return database.transaction(async (transaction) => {
    const submission = await lockSubmission(transaction, submissionId);
    if (!submission || submission.anonymisedAt) return [];
    const events = await listEventsOf(transaction, submissionId);
    const event = findUndoable(events, isKnown);
    if (!event) return [];
    const isRequested =
      eventId === undefined
        ? !events.some(({ undoneAt }) => undoneAt !== null && undoneAt > event.at)
        : event.id === eventId;
    if (!isRequested) return [];

    await update({ transaction, submission }, getColumnsBefore(event, events));
    await markEventUndone(transaction, event.id, by);
    if (await wasOutcomeMailed(transaction, event.id)) {
      await insertEventMail(transaction, { submissionId, eventId: event.id, stage: 'outcome-undone', recipient: null });
    }

    return updateWanted(transaction, [submissionId]);
  });
}
