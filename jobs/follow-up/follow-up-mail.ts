import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import { sourceLabels, sourceNames } from '../../shared/contact/submission-source.ts';
import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import { makeMailtoUrl } from '../../shared/mailbox.ts';
import type { MailContent, MailRow } from '../../shared/node/mail/mail-content.ts';
import { toHeaderText } from '../../shared/node/mail/untrusted-text.ts';

export interface FollowUpContext {
  readonly siteName: string;
  readonly timeZone: string;
  /** Milliseconds after receiving a request within which sales has promised to answer. */
  readonly dueAfter: number;
  readonly contactedUrl: string;
}

const MAX_SUBJECT_COMPANY = 80;

const subjects: Readonly<Record<FollowUpStage, string>> = {
  new: 'New assessment request',
  reminder: 'Reminder',
  due: '24 h follow-up due',
};

const headings: Readonly<Record<FollowUpStage, string>> = {
  new: 'New assessment request',
  reminder: 'Reminder: still to be answered',
  due: 'The promised answer is due',
};

const leads: Readonly<Record<FollowUpStage, string>> = {
  new: 'A visitor asked for a free assessment.',
  reminder: 'Nobody has marked this request as contacted yet.',
  due: 'Nobody has marked this request as contacted, and the promised time is over.',
};

function makeSubject(stage: FollowUpStage, siteName: string, company: string): string {
  const shortCompany = Array.from(toHeaderText(company))
    .slice(0, MAX_SUBJECT_COMPANY)
    .join('');

  return `[${siteName}] ${subjects[stage]}: ${shortCompany}`;
}

/** What follows the number: `ext. 5`, `x5`, `DW 5`, `#5`. */
const EXTENSION = /\s*(?:[,;]?\s*(?:ext(?:ension|n)?|x|dw|durchwahl)\.?|#)[\s:]*\d+\s*$/i;
/** The `(0)` of `+43 (0) 1 …` is dialed only without the country's number. */
const TRUNK_ZERO = /(?<=^[\s(]*\+[^(]*)\(0\)/;
const NOT_OF_A_NUMBER = /[^\d\s().\/\u2010-\u2015-]/;

/** Shortest and longest number there is: special services, and ITU-T E.164. */
const DIGITS = { min: 3, max: 15 } as const;

/**
 * The `tel` URL of a number as a visitor typed it, digits and a leading `+` only; undefined when the text
 * isn't certainly one number.
 */
export function makeTelUrl(phone: string): string | undefined {
  const number = phone.normalize('NFKC').replace(EXTENSION, '').replace(TRUNK_ZERO, '');
  const plus = /^[\s(]*\+/.test(number) ? '+' : '';
  const rest = number.replace(/^([\s(]*)\+/, '$1');
  const digits = rest.replace(/\D/g, '');
  const isNumber =
    !NOT_OF_A_NUMBER.test(rest) && digits.length >= DIGITS.min && digits.length <= DIGITS.max;

  return isNumber ? `tel:${plus}${digits}` : undefined;
}

const listFilled = (rows: ReadonlyArray<Omit<MailRow, 'value'> & { value: string | null }>) =>
  rows.flatMap((row) => (row.value ? [{ ...row, value: row.value }] : []));

function listSourceRows(source: Submission['source']): MailRow[] {
  return listFilled(
    sourceNames.map((name) => ({ label: sourceLabels[name], value: source?.[name] ?? null })),
  );
}

function listRows(submission: Submission, timeZone: string): MailRow[] {
  const { name, email, company, phone, industry, receivedAt, releasedAt, source } = submission;

  return [
    ...listFilled([
      { label: 'Name', value: name },
      { label: 'Email', value: email, url: makeMailtoUrl(email) },
      { label: 'Company', value: company },
      { label: 'Phone', value: phone, url: phone === null ? undefined : makeTelUrl(phone) },
      { label: 'Industry', value: industry && getIndustryLabel(industry) },
      { label: 'Received', value: formatTime(receivedAt, timeZone) },
      {
        label: 'Held as possible spam until',
        value: releasedAt && formatTime(releasedAt, timeZone),
      },
    ]),
    ...listSourceRows(source),
  ];
}

/** Writes the mail of one stage about a submission. */
export function writeFollowUpMail(
  stage: FollowUpStage,
  submission: Submission,
  { siteName, timeZone, dueAfter, contactedUrl }: FollowUpContext,
): MailContent {
  const answerBy = formatTime(getAnswerBy(submission, dueAfter), timeZone);
  const isOverdue = stage === 'due';

  return {
    siteName,
    subject: makeSubject(stage, siteName, submission.company),
    preview: `${submission.name}, ${submission.company}. ${isOverdue ? 'Overdue since' : 'Answer by'} ${answerBy}`,
    heading: headings[stage],
    lead: leads[stage],
    highlight: {
      label: isOverdue ? 'Answer by (overdue since)' : 'Answer by',
      value: answerBy,
      isUrgent: isOverdue,
    },
    rows: listRows(submission, timeZone),
    message: submission.message,
    link: { label: 'Mark as contacted', url: contactedUrl },
    sections: [],
    note: 'Replying to this mail answers the visitor. Once a request is marked as contacted, no further mail about it is sent. Addresses in the visitor’s words are shown with brackets, so that nothing a stranger wrote becomes a link.',
    noteLink: null,
  };
}
