import { getIndustryLabel } from '../../shared/contact/industry-options.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import { defangLine } from '../../shared/node/mail/untrusted-text.ts';
import type { ChatMessage } from '../../shared/node/outbound/chat-message.ts';
import type { MailSettings } from '../mail-settings.ts';

interface AnnouncementContext extends Pick<MailSettings, 'siteName' | 'timeZone' | 'promise'> {
  readonly requestUrl: string;
}

/** Writes the announcement: only company, industry, deadline and link, since a chat has many readers. */
export function writeAnnouncement(
  submission: Submission,
  { siteName, timeZone, promise, requestUrl }: AnnouncementContext,
): ChatMessage {
  const { company, industry } = submission;
  const answerBy = getAnswerBy(submission, promise);

  return {
    title: `[${siteName}] New assessment request`,
    lines: [
      `Company: ${defangLine(company)}`,
      ...(industry === null ? [] : [`Industry: ${getIndustryLabel(industry)}`]),
      `Answer by: ${formatTime(answerBy, timeZone)}`,
    ],
    link: { label: 'Open the request', url: requestUrl },
    isUrgent: false,
    data: { site: siteName, event: 'request', company, industry, answer_by: answerBy.toISOString(), url: requestUrl },
  };
}
