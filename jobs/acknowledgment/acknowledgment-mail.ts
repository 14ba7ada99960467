import { contactPage } from '#content/contact-page';
import { formatTime } from '../../shared/format-time.ts';
import { makeMailtoUrl, parseMailAddress } from '../../shared/mailbox.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';

interface AcknowledgmentContext
  extends Pick<MailSettings, 'siteName' | 'publicUrl' | 'timeZone' | 'bookingUrl'> {
  /** By when the visitor hears from sales. */
  readonly answerBy: Date;
  /** The mailbox of sales that answers. */
  readonly replyTo: string;
}

/**
 * Writes the mail that confirms to a visitor that a request has arrived. Nothing in it was typed by anybody: with
 * the form everybody can send it to everybody's address.
 */
export function writeAcknowledgmentMail({
  siteName,
  publicUrl,
  timeZone,
  answerBy,
  replyTo,
  bookingUrl,
}: AcknowledgmentContext): MailContent {
  const time = formatTime(answerBy, timeZone);
  const { deliverables, process, firstStep } = contactPage;

  return {
    siteName,
    subject: `[${siteName}] We have your request`,
    preview: `You’ll hear from us by ${time}.`,
    heading: 'We have your request',
    lead: `Thank you. Your request for a free business transformation assessment, sent on ${publicUrl}, has arrived.`,
    highlight: { label: 'You’ll hear from us by', value: time, isUrgent: false },
    rows: [
      { label: 'Questions', value: parseMailAddress(replyTo), url: makeMailtoUrl(replyTo) },
    ],
    message: null,
    lists: [
      {
        title: 'What happens next',
        isSequence: true,
        items: [firstStep, ...process.steps].map(({ title, text }) => `${title}: ${text}`),
      },
      {
        title: 'What you’ll receive',
        isSequence: false,
        items: deliverables.items,
      },
    ],
    link: bookingUrl === undefined ? null : { label: 'Pick a time yourself', url: bookingUrl },
    sections: [],
    note: 'This email was sent automatically; a reply to it reaches a person. If you have not asked for an assessment, somebody else entered your address: you can ignore this email, or tell us by replying.',
    noteLink: null,
  };
}
