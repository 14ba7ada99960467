import { formatTime, formatTimeOfDay } from '../../shared/format-time.ts';
import {
  findSubmission,
  type Submission,
} from '../../shared/node/contact/contact-submission-store.ts';
import { findEarlierRequests } from '../../shared/node/contact/earlier-requests.ts';
import { readOfferedTimes } from '../../shared/node/follow-up/snooze-time.ts';
import {
  findLastUndone,
  findUndoable,
  listEvents,
  listEventsOf,
  UNDO_MINUTES,
  type SubmissionEvent,
} from '../../shared/node/contact/submission-events.ts';
import { draftAnswer, type DraftContext } from '../../shared/node/follow-up/answer-draft.ts';
import { listRequestFacts, listEmailRefusal } from '../../shared/node/follow-up/request-facts.ts';
import { describeAnswer, describeHistory, describeResult, nameEvent } from '../../shared/node/follow-up/submission-history.ts';
import { getAnswerBy, getSubmissionState } from '../../shared/node/contact/submission-state.ts';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { listFollowUpMails, type FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import type { ResponsePromise } from '../../shared/node/response-promise/response-promise.ts';
import { markReader, type LinkReader } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import type { FollowUpState, OutcomeChoices } from '../../shared/page-state.ts';
import { Minute } from '../../shared/time.ts';
import type { SignedActionLink } from '../pages/signed-action-pages.ts';

export interface FollowUpPageSettings extends DraftContext {
  /** Time zone for times on the page. */
  readonly timeZone: string;
  /** Determines the time by which sales has promised to answer. */
  readonly promise: ResponsePromise;
  /** The sales mailboxes. */
  readonly sales: readonly string[];
  /** Whether everyone in sales gets each request, or salespeople take turns. */
  readonly assignment: Config['mail']['assignment'];
}

interface PageSettings extends FollowUpPageSettings {
  readonly linkSecrets: readonly string[];
}

/** Maximum number of earlier requests shown. */
const MAX_EARLIER = 5;

/** Returns a row with the pages that the visitor viewed before sending the request, if known. */
const listVisit = ({ visitedPaths }: Submission) =>
  visitedPaths ? [{ label: 'Pages viewed', value: visitedPaths.join(', ') }] : [];

const ordinals = new Intl.PluralRules('en', { type: 'ordinal' });
const endings: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' };

/** Formats an ordinal, such as `2nd` or `13th`. */
const toOrdinal = (number: number) => `${number}${endings[ordinals.select(number)] ?? 'th'}`;

/** Returns earlier requests from the same address or company, and how the last answered one was answered. */
async function readEarlier(
  database: Database,
  submission: Submission,
  timeZone: string,
): Promise<FollowUpState['earlier']> {
  const { domain, count, newest, lastAnswered } = await findEarlierRequests(database, submission, MAX_EARLIER);
  if (count === 0) return null;
  const shown = [...newest, ...(lastAnswered ? [lastAnswered] : [])];
  const events = await listEvents(database, [...new Set(shown.map(({ id }) => id))]);
  const answer = lastAnswered
    ? `last ${describeAnswer(lastAnswered.contactedAt, events.get(lastAnswered.id), timeZone)}`
    : 'none of them is answered';

  return {
    summary: `${toOrdinal(count + 1)} request from ${domain ?? 'this address'}; ${answer}`,
    requests: newest.map((one) => ({
      id: one.id,
      receivedAt: formatTime(one.receivedAt, timeZone, 'short'),
      who: `${one.name}, ${one.company}`,
      outcome: describeResult(one, events.get(one.id), timeZone),
    })),
  };
}

function describeUndo(
  events: readonly SubmissionEvent[],
  timeZone: string,
  isKnown: boolean,
): FollowUpState['undo'] {
  const event = findUndoable(events, isKnown);
  if (!event) return null;
  const until = isKnown ? null : new Date(event.at.getTime() + UNDO_MINUTES * Minute);

  return { eventId: event.id, what: nameEvent(event), until: until && formatTimeOfDay(until, timeZone) };
}

function describeUndone(events: readonly SubmissionEvent[], timeZone: string): FollowUpState['undone'] {
  const event = findLastUndone(events);

  return event?.undoneAt ? { what: nameEvent(event), at: formatTime(event.undoneAt, timeZone) } : null;
}

async function readChoices(
  database: Database,
  { timeZone, sales }: PageSettings,
  answerBy: Date,
): Promise<OutcomeChoices> {
  const { now, inTwoHours, tomorrow, firstDay, lastDay } = await readOfferedTimes(database, timeZone);
  const isPromiseAhead = now < answerBy;
  const timeOfDay = formatTimeOfDay(tomorrow, timeZone);
  const isLate = (time: Date) => isPromiseAhead && time > answerBy;

  return {
    times: [
      { value: '2h', label: 'In 2 hours', isLate: isLate(inTwoHours) },
      { value: 'tomorrow', label: `Tomorrow at ${timeOfDay}`, isLate: isLate(tomorrow) },
    ],
    days: { first: firstDay, last: lastDay, timeOfDay },
    isPromiseAhead,
    hasColleagues: sales.length > 1,
  };
}

/**
 * Returns the page's path for this reader. If a sales link names no reader, also returns one path per salesperson to
 * choose from. If it names one, also returns the path for other readers.
 */
function makePaths({ sales, linkSecrets }: PageSettings, { token }: SignedActionLink, reader: LinkReader) {
  const pathFor = (address: string | null) =>
    pathTo.followUp(token, markReader(token, { address, isKnown: true }, linkSecrets));
  const hasMark = reader.isKnown || (reader.address !== null && sales.length > 1);
  const path = pathTo.followUp(token, hasMark ? markReader(token, reader, linkSecrets) : undefined);
  if (!reader.isKnown || sales.length === 1) return { path, readers: [], otherPath: null };

  return reader.address === null
    ? { path, readers: sales.map((address) => ({ address, path: pathFor(address) })), otherPath: null }
    : { path, readers: [], otherPath: pathFor(null) };
}

/** Returns what has been done about the request so far. */
function describeProgress(
  submission: Submission,
  events: readonly SubmissionEvent[],
  answerBy: Date,
  timeZone: string,
) {
  const { contactedAt, unfitAt, snoozedUntil } = submission;
  const isOpen = getSubmissionState(submission) === 'open';
  const isInFuture = snoozedUntil !== null && snoozedUntil.getTime() > Date.now();
  const format = (time: Date | null) => time && formatTime(time, timeZone);

  return {
    isHandedOver: events.some(({ what, undoneAt }) => what === 'assign' && undoneAt === null),
    contactedAt: format(contactedAt),
    unfitAt: contactedAt ? null : format(unfitAt),
    snoozedUntil: isOpen && isInFuture ? format(snoozedUntil) : null,
    isSnoozedLate: snoozedUntil !== null && snoozedUntil > answerBy,
  };
}

/** Returns what only a known reader sees: colleagues, earlier requests and the history. */
async function readSalesDetails(
  database: Database,
  submission: Submission,
  events: readonly SubmissionEvent[],
  mails: readonly FollowUpMail[],
  timeZone: string,
) {
  return {
    assignedTo: submission.assignedTo,
    earlier: await readEarlier(database, submission, timeZone),
    history: describeHistory(submission, events, mails, timeZone).map(({ at, ...entry }) => ({
      at: formatTime(at, timeZone, 'short'),
      ...entry,
    })),
  };
}

const noSalesDetails = { assignedTo: null, earlier: null, history: [] };

/** Returns what the page shows. Undefined for an erased request. An unknown reader sees only the request. */
export async function readFollowUp(
  database: Database,
  settings: PageSettings,
  link: SignedActionLink,
  reader: LinkReader,
): Promise<Omit<FollowUpState, 'errors'> | undefined> {
  const submission = await findSubmission(database, link.id);
  if (!submission || submission.anonymisedAt) return undefined;
  const { timeZone, promise } = settings;
  const { isKnown } = reader;
  const { id, name, company, message, receivedAt } = submission;
  const answerBy = getAnswerBy(submission, promise);
  const isOpen = getSubmissionState(submission) === 'open';
  const [events, mails] = await Promise.all([listEventsOf(database, id), listFollowUpMails(database, id)]);
  const [internals, choices] = await Promise.all([
    isKnown ? readSalesDetails(database, submission, events, mails, timeZone) : noSalesDetails,
    isOpen ? readChoices(database, settings, answerBy) : undefined,
  ]);

  return {
    company,
    facts: [
      { label: 'Name', value: name },
      ...listRequestFacts(submission),
      ...listVisit(submission),
      { label: 'Received', value: formatTime(receivedAt, timeZone) },
      ...listEmailRefusal(submission, timeZone),
    ],
    message,
    reply: draftAnswer(submission, settings),
    answerBy: formatTime(answerBy, timeZone),
    isKnown,
    reader: isKnown ? reader.address : null,
    ...makePaths(settings, link, reader),
    ...describeProgress(submission, events, answerBy, timeZone),
    isMailUnderWay: !isOpen && mails.some(({ isUnderWay }) => isUnderWay),
    undone: describeUndone(events, timeZone),
    undo: describeUndo(events, timeZone, isKnown),
    ...(choices && { choices }),
    ...internals,
  };
}
