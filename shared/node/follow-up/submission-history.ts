import type { FollowUpStage } from '../../deliveries/delivery.ts';
import { formatTime } from '../../format-time.ts';
import type { Submission } from '../contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../contact/submission-events.ts';
import type { FollowUpMail } from '../deliveries/list-deliveries.ts';

/** An entry in a request's history, worded for sales. */
interface HistoryEntry {
  readonly at: Date;
  readonly what: string;
  /** Details such as an end time, addresses and a reason; may be ''. */
  readonly detail: string;
}

const mailNames: Readonly<Record<FollowUpStage, string>> = {
  new: 'First mail sent',
  reminder: 'Reminder sent',
  due: 'Due notice sent',
  overdue: 'Last daily reminder sent',
};

const eventNames: Readonly<Record<SubmissionEvent['what'], string>> = {
  contacted: 'Marked as contacted',
  snooze: 'Snoozed',
  assign: 'Handed over',
  unfit: 'Marked as not a fit',
  rotate: 'Assigned by rotation',
  'asked-again': 'Asked again',
};

const isTaken = ({ what, by, details }: SubmissionEvent) => what === 'assign' && by !== null && details.to === by;

/** Returns the name of an event as shown to sales. */
export const nameEvent = (event: SubmissionEvent): string => (isTaken(event) ? 'Taken over' : eventNames[event.what]);

const listFilled = (parts: ReadonlyArray<string | false | null | undefined>) =>
  parts.filter((part) => typeof part === 'string' && part !== '').join(' ');

function describeMail({ stage, eventId, recipient, sentAt }: FollowUpMail): HistoryEntry[] {
  if (!sentAt) return [];
  const isHandOver = stage === 'new' && eventId !== null;

  return [{ at: sentAt, what: isHandOver ? 'Mail sent' : mailNames[stage], detail: recipient === null ? '' : `to ${recipient}` }];
}

function describeEvent(event: SubmissionEvent, timeZone: string): HistoryEntry[] {
  const { at, by, what, until, details, undoneAt, undoneBy } = event;
  const name = nameEvent(event);
  const detail = listFilled([
    until && `until ${formatTime(until, timeZone, 'short')}`,
    details.isPastPromise && '(past the promised time)',
    details.to && !isTaken(event) && `to ${details.to}`,
    what === 'rotate' && !details.to && 'to everyone in sales, because everyone is away',
    by && `by ${by}`,
    details.reason && `(${details.reason})`,
  ]);
  const undone = { what: `‘${name}’ undone`, detail: undoneBy ? `by ${undoneBy}` : '' };

  return [{ at, what: name, detail }, ...(undoneAt ? [{ at: undoneAt, ...undone }] : [])];
}

/** Describes who answered a request, and when. */
export function describeAnswer(at: Date, events: readonly SubmissionEvent[] = [], timeZone: string): string {
  const by = events.findLast(({ what, undoneAt }) => what === 'contacted' && undoneAt === null)?.by;

  return `answered${by ? ` by ${by}` : ''} on ${formatTime(at, timeZone, 'short')}`;
}

/** Describes the result of an earlier request. */
export function describeResult(
  { contactedAt, unfitAt }: Pick<Submission, 'contactedAt' | 'unfitAt'>,
  events: readonly SubmissionEvent[] | undefined,
  timeZone: string,
): string {
  if (contactedAt) return describeAnswer(contactedAt, events, timeZone);

  return unfitAt ? `marked as not a fit on ${formatTime(unfitAt, timeZone, 'short')}` : 'still open';
}

/** Lists the history of a request in chronological order. */
export function describeHistory(
  submission: Pick<Submission, 'releasedAt'>,
  events: readonly SubmissionEvent[],
  mails: readonly FollowUpMail[],
  timeZone: string,
): HistoryEntry[] {
  const { releasedAt } = submission;
  const entries = [
    ...(releasedAt ? [{ at: releasedAt, what: 'Released', detail: 'it was held as possible spam' }] : []),
    ...mails.flatMap(describeMail),
    ...events.flatMap((event) => describeEvent(event, timeZone)),
  ];

  return entries.sort((one, other) => one.at.getTime() - other.at.getTime());
}
