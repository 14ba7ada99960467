import { contactPage } from '#content/contact-page';
import { mails } from '#content/mails';
import { siteWords } from '#content/site-words';
import { formatTime } from '../../shared/format-time.ts';
import { makeMailtoUrl, parseMailAddress } from '../../shared/mailbox.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import { fillPlaceholders } from '../../shared/site.ts';
import type { MailSettings } from '../mail-settings.ts';

interface AcknowledgmentContext
  extends Pick<MailSettings, 'siteName' | 'publicUrl' | 'timeZone' | 'bookingUrl'> {
  readonly answerBy: Date;
  readonly replyTo: string;
}

/**
 * Writes the mail that confirms that a request has arrived. It repeats nothing typed: anybody can enter any address.
 */
export function writeAcknowledgmentMail({
  siteName,
  publicUrl,
  timeZone,
  answerBy,
  replyTo,
  bookingUrl,
}: AcknowledgmentContext): MailContent {
  const time = formatTime(answerBy, timeZone, 'long', siteWords.locale);
  const { deliverables, process, firstStep } = contactPage;
  const words = mails.acknowledgment;
  const fill = (text: string) => fillPlaceholders(text, { name: siteName, url: publicUrl, time });

  return {
    siteName,
    subject: `[${siteName}] ${fill(words.subject)}`,
    preview: fill(words.preview),
    heading: fill(words.heading),
    lead: fill(words.lead),
    highlight: { label: fill(words.answerBy), value: time, isUrgent: false },
    rows: [
      { label: fill(words.questions), value: parseMailAddress(replyTo), url: makeMailtoUrl(replyTo) },
    ],
    message: null,
    lists: [
      {
        title: fill(words.nextSteps),
        isSequence: true,
        items: [firstStep, ...process.steps].map(({ title, text }) => `${title}: ${text}`),
      },
      {
        title: fill(words.deliverables),
        isSequence: false,
        items: deliverables.items,
      },
    ],
    link: bookingUrl === undefined ? null : { label: fill(words.booking), url: bookingUrl },
    sections: [],
    note: fill(words.note),
    noteLink: null,
  };
}
