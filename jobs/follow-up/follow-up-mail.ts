import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import type { FollowUpStage } from '../../shared/deliveries/delivery.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { MailContent } from '../mail/render-mail.ts';

export interface FollowUpContext {
  readonly siteName: string;
  readonly timeZone: string;
  /** Milliseconds after receiving a request within which sales has promised to answer. */
  readonly dueAfter: number;
  readonly contactedUrl: string;
}

const MAX_SUBJECT_COMPANY = 80;
/** Control characters could start a new header; direction marks could disguise what follows. */
const NOT_FOR_HEADERS = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const subjects: Readonly<Record<FollowUpStage, string>> = {
  new: 'New assessment request',
  reminder: 'Reminder',
  due: '24 h follow-up due',
};

function makeSubject(stage: FollowUpStage, siteName: string, company: string): string {
  const shortCompany = Array.from(company.replace(NOT_FOR_HEADERS, ' '))
    .slice(0, MAX_SUBJECT_COMPANY)
    .join('');

  return `[${siteName}] ${subjects[stage]}: ${shortCompany}`;
}

/** `Friday, January 31, 2025 at 9:30 AM UTC` */
function formatTime(time: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-US', {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  }).format(time);
}

const leads: Readonly<Record<FollowUpStage, (answerBy: string) => string>> = {
  new: (answerBy) => `A visitor asked for a free assessment. Please answer by ${answerBy}.`,
  reminder: (answerBy) => `This request is still open. Please answer by ${answerBy}.`,
  due: (answerBy) => `The answer was promised by ${answerBy}, and the request is still open.`,
};

/** Writes the mail of one stage about a submission. */
export function writeFollowUpMail(
  stage: FollowUpStage,
  submission: Submission,
  { siteName, timeZone, dueAfter, contactedUrl }: FollowUpContext,
): MailContent {
  const answerBy = formatTime(new Date(submission.receivedAt.getTime() + dueAfter), timeZone);
  const industry = submission.industry && getIndustryLabel(submission.industry);
  const optionalRow = (label: string, value: string | null) => (value ? [{ label, value }] : []);

  return {
    subject: makeSubject(stage, siteName, submission.company),
    heading: subjects[stage],
    lead: leads[stage](answerBy),
    rows: [
      { label: 'Name', value: submission.name },
      { label: 'Email', value: submission.email },
      { label: 'Company', value: submission.company },
      ...optionalRow('Phone', submission.phone),
      ...optionalRow('Industry', industry),
      { label: 'Received', value: formatTime(submission.receivedAt, timeZone) },
      { label: 'Answer by', value: answerBy },
      ...Object.entries(submission.source ?? {}).map(([label, value]) => ({ label, value })),
    ],
    message: submission.message,
    link: { label: 'Mark as contacted', url: contactedUrl },
    note: 'Replying to this mail answers the visitor. Once a request is marked as contacted, no further mail about it is sent.',
    noteLink: null,
  };
}
