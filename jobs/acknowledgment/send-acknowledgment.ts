import { contactPage } from '#content/contact-page';
import { mails } from '#content/mails';
import { siteWords } from '#content/site-words';
import { formatTime } from '../../shared/format-time.ts';
import { makeMailtoUrl, parseMailAddress } from '../../shared/mailbox.ts';
import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import { fillPlaceholders } from '../../shared/site.ts';
import type { MailSettings } from '../mail-settings.ts';
import { markEmailRefused, type Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { getAnswerBy } from '../../shared/node/contact/submission-state.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { recordAcknowledgmentHandOver, wasAcknowledged } from '../../shared/node/deliveries/leased-delivery.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { isAutomaticAddress, normalizeMailbox } from '../../shared/node/mail/email-address.ts';
import type { Mailer, OutgoingMail } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { cancelForRefusedAddress, loadSubmission, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';

interface AcknowledgmentContext
  extends Pick<MailSettings, 'siteName' | 'publicUrl' | 'timeZone' | 'bookingUrl'> {
  readonly answerBy: Date;
  readonly replyTo: string;
}

/** Writes the mail that confirms a request. It omits the visitor's text, because anyone can enter any address. */
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

export type AcknowledgmentSettings = Pick<
  MailSettings,
  'acknowledges' | 'siteName' | 'publicUrl' | 'from' | 'sales' | 'timeZone' | 'promise' | 'bookingUrl'
>;

/** Returns whether the promised time has passed. A mail sent after it would only show that the promise was broken. */
function isTooLate(
  submission: Submission,
  { overdueMs }: ClaimedDelivery,
  { promise }: AcknowledgmentSettings,
): boolean {
  const { receivedAt, releasedAt } = submission;

  return (releasedAt ?? receivedAt).getTime() + overdueMs >= getAnswerBy(submission, promise).getTime();
}

/** Returns the request to acknowledge. Cancels the delivery if it should not be acknowledged. */
async function loadAcknowledgeable(
  database: Database,
  delivery: ClaimedDelivery,
  settings: AcknowledgmentSettings,
): Promise<Submission> {
  if (!settings.acknowledges) throw new DeliveryError('cancelled', 'switched-off');
  const submission = await loadSubmission(database, delivery);
  const { email } = submission;
  if (isAutomaticAddress(email) || normalizeMailbox(email) === normalizeMailbox(settings.from)) {
    throw new DeliveryError('cancelled', 'automatic-address');
  }
  if (isTooLate(submission, delivery, settings)) throw new DeliveryError('cancelled', 'too-late');
  if (await wasAcknowledged(database, delivery, email)) {
    throw new DeliveryError('cancelled', 'acknowledged-before');
  }

  return submission;
}

function composeMail(deliveryId: string, submission: Submission, settings: AcknowledgmentSettings): OutgoingMail {
  const { siteName, publicUrl, timeZone, promise, sales, bookingUrl, from } = settings;
  const [replyTo = from] = sales;
  const answerBy = getAnswerBy(submission, promise);

  return {
    key: `acknowledgment-${deliveryId}`,
    to: [submission.email],
    ...renderMail(writeAcknowledgmentMail({ siteName, publicUrl, timeZone, answerBy, replyTo, bookingUrl })),
    replyTo,
    headers: {
      'X-Delivery-Stage': 'acknowledgment',
      // `All` would also suppress bounces (MS-OXCMAIL).
      'X-Auto-Response-Suppress': 'OOF, AutoReply',
    },
  };
}

/** Creates the handler for acknowledgments, the mails that tell visitors their requests arrived. */
export function createAcknowledgmentHandler(
  database: Database,
  mailer: Mailer,
  settings: AcknowledgmentSettings,
): DeliveryHandler {
  return async (delivery, signal) => {
    const submission = await loadAcknowledgeable(database, delivery, settings);
    const record = () => recordAcknowledgmentHandOver(database, delivery, submission.email);

    try {
      return await sendMail({ database, mailer, delivery, signal, record }, composeMail(delivery.id, submission, settings));
    } catch (error) {
      if (toDeliveryError(error).isRecipientRefusedForGood) await markEmailRefused(database, submission.id);
      throw cancelForRefusedAddress(error, delivery);
    }
  };
}
