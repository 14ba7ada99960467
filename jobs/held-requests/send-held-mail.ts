import { describeSpamReasons } from '../../shared/contact/spam-signals.ts';
import { formatCount } from '../../shared/format-count.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { HELD_DAYS, countUnreported, listRequestsOfMail } from '../../shared/node/held-requests/held-requests.ts';
import type { MailContent, MailItem, MailRow, MailSection } from '../../shared/node/mail/mail-content.ts';
import { fitUnderClippingLimit } from '../../shared/node/mail/render-html.ts';
import type { MailSettings } from '../mail-settings.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { sendOmittingRefusedText, type Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { DeliveryError, ResponseError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { pathTo } from '../../shared/paths.ts';
import { selectRecipients, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';

interface HeldMailContext extends Pick<MailSettings, 'siteName' | 'timeZone'> {
  readonly getDecisionUrl: (submissionId: string) => string;
}

interface HeldMailFacts {
  readonly requests: readonly Submission[];
  readonly moreCount: number;
  /** Whether this mail omits the visitors' text, because the mail server refused one that contained it. */
  readonly wasRefused: boolean;
}

const MAX_DETAILED_REQUESTS = 20;

/** How many characters of a message to show: enough to tell a person from an advertisement. */
const MAX_MESSAGE_START = 300;

/** How many characters of a company's name to show, so that 120 lines stay within Gmail's limit. */
const MAX_COMPANY_START = 40;

function shorten(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  const start = characters.slice(0, maxCharacters).join('');

  return characters.length > maxCharacters ? `${start} …` : start;
}

const describeReasons = (submission: Submission): MailRow => ({
  label: 'Held because',
  value: describeSpamReasons(submission.quarantineReasons, submission).join(', '),
});
const describeReceipt = ({ receivedAt }: Submission, { timeZone }: HeldMailContext): MailRow => ({
  label: 'Received',
  value: formatTime(receivedAt, timeZone, 'short'),
});

function describe(submission: Submission, context: HeldMailContext): MailItem {
  const { id, company, name, email, message } = submission;

  return {
    title: company,
    rows: [
      describeReasons(submission),
      { label: 'Name', value: name },
      { label: 'Email', value: email },
      describeReceipt(submission, context),
      ...(message === null
        ? []
        : [{ label: 'Message', value: shorten(message, MAX_MESSAGE_START) }]),
    ],
    link: { label: 'Review this request', url: context.getDecisionUrl(id) },
  };
}

function summarize(submission: Submission, context: HeldMailContext): MailItem {
  return {
    title: shorten(submission.company, MAX_COMPANY_START),
    rows: [describeReceipt(submission, context), describeReasons(submission)],
    link: { label: 'Decide', url: context.getDecisionUrl(submission.id) },
  };
}

function summarizeWithoutWords(submission: Submission, context: HeldMailContext): MailItem {
  const { value: title } = describeReceipt(submission, context);

  return { ...summarize(submission, context), title, rows: [describeReasons(submission)] };
}

const makeSections = (
  requests: readonly Submission[],
  countInFull: number,
  context: HeldMailContext,
): readonly MailSection[] =>
  [
    {
      title: 'To decide',
      isCompact: false,
      items: requests.slice(0, countInFull).map((submission) => describe(submission, context)),
    },
    {
      title: 'Also to decide',
      isCompact: true,
      items: requests.slice(countInFull).map((submission) => summarize(submission, context)),
    },
  ].filter(({ items }) => items.length > 0);

/** Writes the mail about held requests: the first ones in full and the rest as one line each, within Gmail's limit. */
export function writeHeldMail(
  { requests, moreCount, wasRefused }: HeldMailFacts,
  context: HeldMailContext,
): MailContent {
  const { siteName } = context;
  const count = requests.length + moreCount;
  const state = `${formatCount(count, 'request', 'requests')} held as possible spam`;
  const more =
    moreCount > 0
      ? `And ${moreCount} more, which will be in the next mail. To list them all: ops submissions list --quarantined. `
      : '';
  const refusal = wasRefused
    ? ' The mail server refused the mail that repeats what was typed, so only the pages show it.'
    : '';

  const write = (sections: readonly MailSection[]): MailContent => ({
    siteName,
    // The documented subject has no singular form.
    subject: `[${siteName}] ${count} requests are held as possible spam`,
    preview: `${state}. Decide whether it’s real.`,
    heading: 'Held as possible spam',
    lead: `${state}. ${count === 1 ? 'The sender was promised an answer, and this is the only email about it. Open it and decide whether it’s real' : 'Their senders were promised an answer, and this is the only email about them. Open each and decide whether it’s real'}.${refusal}`,
    highlight: null,
    rows: [],
    message: null,
    link: null,
    sections,
    note: `${more}Opening a link changes nothing. Released requests arrive like any other; the rest are deleted after ${HELD_DAYS} days.`,
    noteLink: null,
  });
  if (wasRefused) {
    const items = requests.map((submission) => summarizeWithoutWords(submission, context));

    return write([{ title: 'To decide', isCompact: true, items }]);
  }

  return fitUnderClippingLimit(Math.min(MAX_DETAILED_REQUESTS, requests.length), (countInFull) =>
    write(makeSections(requests, countInFull, context)),
  );
}

type HeldMailSettings = Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets' | 'sales' | 'timeZone'>;

/** After this many temporary refusals, assume that the mail's text is the reason. Some filters don't say. */
const MAX_SOFT_REFUSALS = 3;

function isMailRefused(error: unknown, attempts: number): boolean {
  const failure = toDeliveryError(error);
  if (!(failure instanceof ResponseError) || failure.isRecipientRefusedForGood) return false;
  const isSoft = failure.status < 500 && !failure.isRecipientRefused;

  return failure.result === 'dead' || (isSoft && attempts >= MAX_SOFT_REFUSALS);
}

/** Creates the handler for mails about held requests. A refused mail is sent again without the visitors' text. */
export function createHeldMailHandler(database: Database, mailer: Mailer, settings: HeldMailSettings): DeliveryHandler {
  const { publicUrl, linkSecrets, sales } = settings;
  const getDecisionUrl = (id: string) => publicUrl + pathTo.heldRequest(signLinkToken('held', id, linkSecrets));

  return async (delivery, signal) => {
    const { subject, attempts } = delivery;
    const to = selectRecipients(sales, delivery);
    const requests = subject === null ? [] : await listRequestsOfMail(database, subject);
    if (requests.length === 0) throw new DeliveryError('cancelled', 'nothing-held');
    const moreCount = await countUnreported(database);
    const send = (wasRefused: boolean) => {
      const mail = writeHeldMail({ requests, moreCount, wasRefused }, { ...settings, getDecisionUrl });

      return sendMail({ database, mailer, delivery, signal }, { key: `held-${subject}`, to, ...renderMail(mail), headers: {} });
    };

    return sendOmittingRefusedText(send, (error) => isMailRefused(error, attempts));
  };
}
