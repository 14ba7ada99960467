import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { formatMonthDay, formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { draftAnswer } from '../../shared/node/follow-up/answer-draft.ts';
import { groupRequestFacts, listEmailRefusal } from '../../shared/node/follow-up/request-facts.ts';
import { describeHistory, describeResult } from '../../shared/node/follow-up/submission-history.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import type { FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute } from '../../shared/time.ts';
import type { MailContent, MailRow } from '../../shared/node/mail/mail-content.ts';
import { defangLine, toHeaderText } from '../../shared/node/mail/untrusted-text.ts';
import type { MailSettings } from '../mail-settings.ts';

interface FollowUpContext extends Pick<MailSettings, 'siteName' | 'bookingUrl' | 'timeZone' | 'promise'> {
  readonly requestUrl: string;
  /** All of the request's mails and events, in chronological order. */
  readonly mails: readonly FollowUpMail[];
  readonly events: readonly SubmissionEvent[];
  /** When the mail is sent. */
  readonly now: Date;
  /** Whether this is the first mail, which goes only to the salesperson whose turn it is. */
  readonly isOnlyForTurn: boolean;
  /** The recipient whose mailbox permanently refused the mail, which now goes to all other recipients. */
  readonly refusedBy: string | undefined;
  /** Whether this mail omits the visitor's text, because the mail server refused one that contained it. */
  readonly wasRefused: boolean;
  /** Whether DNS shows that no mail can reach the visitor's address. */
  readonly isUnreachable: boolean;
  /** Whether the mail goes only to the new assignee. */
  readonly isOnlyForAssignee: boolean;
  /** The first request of the last 30 days from the same address or company; undefined if there is no earlier one. */
  readonly earlier: { readonly submission: Submission; readonly events: readonly SubmissionEvent[]; readonly url: string } | undefined;
  /** The event that caused this mail; undefined if it was planned with the request. */
  readonly cause: SubmissionEvent | undefined;
}

const MAX_SUBJECT_COMPANY = 80;

/** Maximum difference between two synchronized clocks, in milliseconds. */
const CLOCK_DIFFERENCE = 1 * Minute;

const subjects: Readonly<Record<Exclude<FollowUpStage, 'due'>, string>> = {
  new: 'New assessment request',
  reminder: 'Reminder',
  overdue: 'Still open',
};

const headings: Readonly<Record<FollowUpStage, string>> = {
  new: 'New assessment request',
  reminder: 'Reminder: still to be answered',
  due: 'The promised answer is due',
  overdue: 'This request is still open',
};

const leads: Readonly<Record<FollowUpStage, string>> = {
  new: 'A visitor asked for a free assessment.',
  reminder: 'This request is still unanswered.',
  due: 'This request is still unanswered, and the deadline we promised has passed.',
  overdue: 'This request is still unanswered, and the deadline we promised has passed.',
};

/** The lead if a due notice is early because a holiday or a longer promise was configured after it was planned. */
const EARLY_DUE = 'This request is still unanswered, and its answer is due soon.';

/** Replaces the company if the mail must omit the visitor's text. */
export const COMPANY_PLACEHOLDER = 'see its page';

/** Returns the subject of a mail to sales about a request. @param name kind of mail */
export function makeSubject(siteName: string, name: string, company: string): string {
  const shortCompany = Array.from(toHeaderText(company))
    .slice(0, MAX_SUBJECT_COMPANY)
    .join('');

  return `[${siteName}] ${name}: ${shortCompany}`;
}

const listTimes = ({ receivedAt, releasedAt }: Submission, timeZone: string): MailRow[] => [
  { label: 'Received', value: formatTime(receivedAt, timeZone) },
  ...(releasedAt ? [{ label: 'Held as possible spam until', value: formatTime(releasedAt, timeZone) }] : []),
];

/** Returns the row about an earlier request from the same address or company. */
function listEarlier({ earlier, timeZone }: FollowUpContext): MailRow[] {
  if (!earlier) return [];
  const { submission, events } = earlier;
  const result = describeResult(submission, events, timeZone);
  const value = `${defangLine(submission.name)} already asked on ${formatMonthDay(submission.receivedAt, timeZone)} (${result})`;

  return [{ label: 'Earlier request', value, isTrusted: true }];
}

function listRows(submission: Submission, context: FollowUpContext): MailRow[] {
  const { timeZone, isUnreachable } = context;
  const { email, optional, source } = groupRequestFacts(submission);

  return [
    ...listEarlier(context),
    { label: 'Name', value: submission.name },
    ...email,
    ...listEmailRefusal(submission, timeZone),
    ...(isUnreachable ? [{ label: 'This address cannot receive mail', value: 'call', isTrusted: true as const }] : []),
    { label: 'Company', value: submission.company },
    ...optional,
    ...listTimes(submission, timeZone),
    ...source,
  ];
}

/** Lists the assignee and the history without undone events. */
function listHistory(
  stage: FollowUpStage,
  submission: Submission,
  { mails, events, timeZone }: FollowUpContext,
): MailRow[] {
  const standing = events.filter(({ undoneAt }) => undoneAt === null);
  // Omit mails to single addresses, because they repeat shared mails.
  const shared = mails.filter(({ recipient }) => recipient === null);
  const holder = submission.assignedTo ?? (stage === 'new' ? null : 'everyone in sales');

  return [
    ...(holder === null ? [] : [{ label: 'Assigned to', value: holder, isTrusted: true as const }]),
    ...describeHistory({ releasedAt: null }, standing, shared, timeZone).map(({ at, what, detail }) => ({
      label: what,
      value: [detail, formatTime(at, timeZone)].filter((part) => part !== '').join('; '),
      isTrusted: true as const,
    })),
  ];
}

/** Writes the first sentence of a planned mail. If sales take turns, it says whose turn it is. */
function writeLead(stage: FollowUpStage, { isOnlyForTurn, events }: FollowUpContext, isOverdue: boolean): string {
  if (stage === 'new' && isOnlyForTurn) {
    return `${leads.new} It is your turn. The rest of sales won’t hear about it until the reminder, unless the request is settled or snoozed first.`;
  }
  const turn = events.find(({ what }) => what === 'rotate')?.details.to;
  if (stage === 'reminder' && turn !== undefined) {
    return `This request was given to ${turn} in turn, and it is still unanswered.`;
  }

  return stage === 'due' && !isOverdue ? EARLY_DUE : leads[stage];
}

const getActor = (event: SubmissionEvent) => event.by ?? 'Someone in sales';

/** Writes the heading and first sentence of a mail that a salesperson's action caused. */
function describeCause(stage: FollowUpStage, cause: SubmissionEvent, isOnlyForAssignee: boolean, isOverdue: boolean) {
  const overdue = isOverdue ? ', and the promised time has passed' : '';
  if (stage === 'new') {
    const holder = isOnlyForAssignee ? 'you' : (cause.details.to ?? 'a colleague');

    return { heading: `Handed to ${holder}`, lead: `${getActor(cause)} handed this request to ${holder}${overdue}.` };
  }

  return {
    heading: headings[stage],
    lead: `${getActor(cause)} asked for this reminder. Nobody has settled the request since${overdue}.`,
  };
}

/** Writes the heading and first sentence. */
function writeHeadingAndLead(stage: FollowUpStage, context: FollowUpContext, isOverdue: boolean) {
  const { cause, refusedBy, isOnlyForAssignee, wasRefused } = context;
  const { heading, lead } = cause
    ? describeCause(stage, cause, isOnlyForAssignee, isOverdue)
    : { heading: headings[stage], lead: writeLead(stage, context, isOverdue) };
  const refusal = refusedBy === undefined ? '' : ` The mailbox of ${refusedBy} refuses mail: please take the request over.`;

  const words = wasRefused
    ? ' The mail server refused the mail with the visitor’s text. Read it on the page of the request.'
    : '';

  return { heading, lead: lead + refusal + words };
}

const PAGE_NOTE =
  'Once the request is marked as contacted, no more reminders about it are sent. On the same page you can ask for a reminder at another time, hand the request to a colleague, or mark it as not a fit.';

/** Writes the mail about a submission for one stage. */
export function writeFollowUpMail(
  stage: FollowUpStage,
  submission: Submission,
  context: FollowUpContext,
): MailContent {
  const { siteName, timeZone, promise, requestUrl, now, wasRefused, isUnreachable, earlier } = context;
  const promised = getAnswerBy(submission, promise);
  const answerBy = formatTime(promised, timeZone);
  // PostgreSQL's clock, which may be ahead of this machine's, decides when the due notice is sent.
  const isOverdue = now.getTime() >= promised.getTime() - (stage === 'due' ? CLOCK_DIFFERENCE : 0);

  return {
    siteName,
    subject: makeSubject(siteName, stage === 'due' ? promise.dueSubject : subjects[stage], wasRefused ? COMPANY_PLACEHOLDER : submission.company),
    preview: `${wasRefused ? '' : `${submission.name}, ${submission.company}. `}${isOverdue ? 'Overdue since' : 'Answer by'} ${answerBy}`,
    ...writeHeadingAndLead(stage, context, isOverdue),
    highlight: {
      label: isOverdue ? 'Overdue since' : 'Answer by',
      value: answerBy,
      isUrgent: isOverdue,
    },
    rows: [
      ...(wasRefused ? listTimes(submission, timeZone) : listRows(submission, context)),
      ...listHistory(stage, submission, context),
    ],
    message: wasRefused ? null : submission.message,
    reply: wasRefused || isUnreachable ? null : draftAnswer(submission, context),
    link: { label: wasRefused ? 'Look at the request' : 'Mark as contacted', url: requestUrl },
    sections: [],
    note: wasRefused
      ? PAGE_NOTE
      : `Your reply goes straight to the visitor. Delete the quoted text first: anyone with its link can open this request. Links the visitor typed appear in brackets so nobody clicks them by accident.`,
    noteLink: earlier && !wasRefused ? { label: 'Open the earlier request', url: earlier.url } : null,
  };
}
