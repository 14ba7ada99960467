import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { formatMonthDay, formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import { draftAnswer } from '../../shared/node/follow-up/answer-draft.ts';
import { groupGivenFacts, listRefusal } from '../../shared/node/follow-up/given-facts.ts';
import { describeHistory, describeResult } from '../../shared/node/follow-up/submission-history.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import type { FollowUpMail } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute } from '../../shared/time.ts';
import type { MailContent, MailRow } from '../../shared/node/mail/mail-content.ts';
import { defangLine, toHeaderText } from '../../shared/node/mail/untrusted-text.ts';
import type { MailSettings } from '../mail-settings.ts';

interface FollowUpContext extends Pick<MailSettings, 'siteName' | 'bookingUrl' | 'timeZone' | 'promise'> {
  readonly requestUrl: string;
  /** The mails about the request, sent or not, and what was done about it, in their order. */
  readonly mails: readonly FollowUpMail[];
  readonly events: readonly SubmissionEvent[];
  /** When it is sent. */
  readonly now: Date;
  /** Whether it is the first mail and goes to one of sales, who has the request in turn. */
  readonly isForOne: boolean;
  /** The one it was for, whose mailbox has refused it for good: it goes to the others instead. */
  readonly refusedBy: string | undefined;
  /** Whether the mail server has refused the mail that repeats what was typed: this one has none of it. */
  readonly wasRefused: boolean;
  /** Whether DNS says that no mail can reach the visitor's address. */
  readonly isUnreachable: boolean;
  /** Whether it goes to the one alone to whom the request was handed. */
  readonly isForHolder: boolean;
  /** The first request of the last 30 days from the same address or company; undefined: this one is. */
  readonly earlier: { readonly submission: Submission; readonly events: readonly SubmissionEvent[]; readonly url: string } | undefined;
  /** What somebody of sales did that made this mail; undefined for those of the plan. */
  readonly cause: SubmissionEvent | undefined;
}

const MAX_SUBJECT_COMPANY = 80;

/** Milliseconds by which two clocks that are kept right may differ. */
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

/** Of a due notice whose time was put off since it was planned, by a holiday or a longer promise. */
const EARLY_DUE = 'This request is still unanswered, and its answer is due soon.';

/** What stands for the company where nothing that was typed may be repeated. */
export const UNNAMED = 'see its page';

/** The subject of a mail to sales about a request. @param name what the mail is called */
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

/** That the same address or company asked before, and what became of that. */
function listEarlier({ earlier, timeZone }: FollowUpContext): MailRow[] {
  if (!earlier) return [];
  const { submission, events } = earlier;
  const result = describeResult(submission, events, timeZone);
  const value = `${defangLine(submission.name)} already asked on ${formatMonthDay(submission.receivedAt, timeZone)} (${result})`;

  return [{ label: 'Earlier request', value, isOwn: true }];
}

function listRows(submission: Submission, context: FollowUpContext): MailRow[] {
  const { timeZone, isUnreachable } = context;
  const { email, optional, source } = groupGivenFacts(submission);

  return [
    ...listEarlier(context),
    { label: 'Name', value: submission.name },
    ...email,
    ...listRefusal(submission, timeZone),
    ...(isUnreachable ? [{ label: 'This address cannot receive mail', value: 'call', isOwn: true as const }] : []),
    { label: 'Company', value: submission.company },
    ...optional,
    ...listTimes(submission, timeZone),
    ...source,
  ];
}

/** Who has the request, and what happened since it came; nothing of what was undone. */
function listHistory(
  stage: FollowUpStage,
  submission: Submission,
  { mails, events, timeZone }: FollowUpContext,
): MailRow[] {
  const standing = events.filter(({ undoneAt }) => undoneAt === null);
  // Those for one address of sales repeat what all others have.
  const shared = mails.filter(({ recipient }) => recipient === null);
  const holder = submission.assignedTo ?? (stage === 'new' ? null : 'everyone in sales');

  return [
    ...(holder === null ? [] : [{ label: 'Assigned to', value: holder, isOwn: true as const }]),
    ...describeHistory({ releasedAt: null }, standing, shared, timeZone).map(({ at, what, detail }) => ({
      label: what,
      value: [detail, formatTime(at, timeZone)].filter((part) => part !== '').join('; '),
      isOwn: true as const,
    })),
  ];
}

/** The first sentence of a mail of the plan; where requests go round it says who else has this one. */
function writeLead(stage: FollowUpStage, { isForOne, events }: FollowUpContext, isOverdue: boolean): string {
  if (stage === 'new' && isForOne) {
    return `${leads.new} It is your turn: the rest of sales hears of it with the reminder, unless it is settled or put off before.`;
  }
  const turn = events.find(({ what }) => what === 'rotate')?.details.to;
  if (stage === 'reminder' && turn !== undefined) {
    return `This request was given to ${turn} in turn, and it is still unanswered.`;
  }

  return stage === 'due' && !isOverdue ? EARLY_DUE : leads[stage];
}

const somebody = (event: SubmissionEvent) => event.by ?? 'Someone in sales';

/** Heading and first sentence of a mail that somebody of sales has caused. */
function describeCause(stage: FollowUpStage, cause: SubmissionEvent, isForHolder: boolean, isOverdue: boolean) {
  const overdue = isOverdue ? ', and the promised time is over' : '';
  if (stage === 'new') {
    const holder = isForHolder ? 'you' : (cause.details.to ?? 'a colleague');

    return { heading: `Handed to ${holder}`, lead: `${somebody(cause)} handed this request to ${holder}${overdue}.` };
  }

  return {
    heading: headings[stage],
    lead: `${somebody(cause)} asked for this reminder. Nobody has settled the request since${overdue}.`,
  };
}

/** Heading and first sentence. */
function introduce(stage: FollowUpStage, context: FollowUpContext, isOverdue: boolean) {
  const { cause, refusedBy, isForHolder, wasRefused } = context;
  const { heading, lead } = cause
    ? describeCause(stage, cause, isForHolder, isOverdue)
    : { heading: headings[stage], lead: writeLead(stage, context, isOverdue) };
  const refusal = refusedBy === undefined ? '' : ` The mailbox of ${refusedBy} refuses mail: please take the request over.`;

  const words = wasRefused
    ? ' The mail server refused the mail that repeats what the visitor typed: only the page of the request shows it.'
    : '';

  return { heading, lead: lead + refusal + words };
}

const PAGE_NOTE =
  'Once the request is marked as contacted, no more reminders about it are sent. On the same page you can ask for a reminder at another time, hand the request to a colleague, or mark it as not a fit.';

/** Writes the mail of one stage about a submission. */
export function writeFollowUpMail(
  stage: FollowUpStage,
  submission: Submission,
  context: FollowUpContext,
): MailContent {
  const { siteName, timeZone, promise, requestUrl, now, wasRefused, isUnreachable, earlier } = context;
  const promised = getAnswerBy(submission, promise);
  const answerBy = formatTime(promised, timeZone);
  // The due notice comes at the promised time by PostgreSQL's clock, which may be ahead of this machine's.
  const isOverdue = now.getTime() >= promised.getTime() - (stage === 'due' ? CLOCK_DIFFERENCE : 0);

  return {
    siteName,
    subject: makeSubject(siteName, stage === 'due' ? promise.dueSubject : subjects[stage], wasRefused ? UNNAMED : submission.company),
    preview: `${wasRefused ? '' : `${submission.name}, ${submission.company}. `}${isOverdue ? 'Overdue since' : 'Answer by'} ${answerBy}`,
    ...introduce(stage, context, isOverdue),
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
