import { describeSpamReasons } from '../../shared/contact/spam-signals.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { HELD_DAYS } from '../../shared/node/contact/held-requests.ts';
import type { MailContent, MailItem, MailSection } from '../../shared/node/mail/mail-content.ts';
import { renderHtml } from '../../shared/node/mail/render-html.ts';

interface HeldMailContext {
  readonly siteName: string;
  readonly timeZone: string;
  readonly getDecisionUrl: (submissionId: string) => string;
}

interface HeldMailFacts {
  /** One request at least. */
  readonly requests: readonly Submission[];
  /** Held requests that the next mail lists. */
  readonly moreCount: number;
}

/** Most requests that are described in full; the others get a line each. */
const MAX_IN_FULL = 20;

/** Bytes of HTML: Gmail cuts a mail off after 102 kB. */
const MAX_HTML_BYTES = 100_000;

/** Characters of the message: enough to tell a person from an advertisement. */
const MAX_MESSAGE_START = 300;

/** Characters of a company in a line: 120 lines stay below the bytes above, whatever is written. */
const MAX_COMPANY_START = 40;

function shorten(text: string, maxCharacters: number): string {
  const characters = Array.from(text);
  const start = characters.slice(0, maxCharacters).join('');

  return characters.length > maxCharacters ? `${start} …` : start;
}

function describe(submission: Submission, { timeZone, getDecisionUrl }: HeldMailContext): MailItem {
  const { id, company, name, email, receivedAt, quarantineReason, message } = submission;

  return {
    title: company,
    rows: [
      { label: 'Held because', value: describeSpamReasons(quarantineReason, submission).join(', ') },
      { label: 'Name', value: name },
      { label: 'Email', value: email },
      { label: 'Received', value: formatTime(receivedAt, timeZone, 'short') },
      ...(message === null
        ? []
        : [{ label: 'Message', value: shorten(message, MAX_MESSAGE_START) }]),
    ],
    link: { label: 'Look at it and decide', url: getDecisionUrl(id) },
  };
}

/** The same in a line. */
function summarize(submission: Submission, context: HeldMailContext): MailItem {
  const { rows, link } = describe(submission, context);

  return {
    title: shorten(submission.company, MAX_COMPANY_START),
    rows: rows.filter(({ label }) => label === 'Received' || label === 'Held because').reverse(),
    link: { ...link, label: 'Decide' },
  };
}

function makeSections(
  requests: readonly Submission[],
  countInFull: number,
  context: HeldMailContext,
): MailSection[] {
  const [inFull, others] = [requests.slice(0, countInFull), requests.slice(countInFull)];

  return [
    {
      title: 'To decide',
      isUrgent: false,
      isCompact: false,
      items: inFull.map((submission) => describe(submission, context)),
    },
    {
      title: 'Also to decide',
      isUrgent: false,
      isCompact: true,
      items: others.map((submission) => summarize(submission, context)),
    },
  ].filter(({ items }) => items.length > 0);
}

/**
 * Writes the mail that tells sales which requests are held as possible spam: the first in full, as
 * many of them as leave the mail whole in Gmail, and a line for each of the others.
 */
export function writeHeldMail(
  { requests, moreCount }: HeldMailFacts,
  context: HeldMailContext,
): MailContent {
  const { siteName } = context;
  const count = requests.length + moreCount;
  const state = `${count} ${count === 1 ? 'request is' : 'requests are'} held as possible spam`;
  const more =
    moreCount > 0
      ? `And ${moreCount} more, which the next mail lists; all of them: ops submissions list --quarantined. `
      : '';

  const write = (countInFull: number): MailContent => ({
    siteName,
    // The published subject has one form, whatever the number.
    subject: `[${siteName}] ${count} requests are held as possible spam`,
    preview: `${state}. An answer was promised all the same.`,
    heading: 'Held as possible spam',
    lead: `${state}. An answer was promised all the same, and no other mail is sent about ${count === 1 ? 'it' : 'them'}: open the page of each, and decide whether a person asks for something.`,
    highlight: null,
    rows: [],
    message: null,
    link: null,
    sections: makeSections(requests, countInFull, context),
    note: `${more}Opening a link changes nothing; the buttons on its page do. A request that is released is mailed like every other. What nobody releases is erased ${HELD_DAYS} days after it was held. This mail is sent at most once an hour.`,
    noteLink: null,
  });
  let countInFull = Math.min(MAX_IN_FULL, requests.length);
  let mail = write(countInFull);
  while (countInFull > 0 && Buffer.byteLength(renderHtml(mail)) > MAX_HTML_BYTES) {
    countInFull -= 1;
    mail = write(countInFull);
  }

  return mail;
}
