import { describeSpamReasons } from '../../shared/contact/spam-reasons.ts';
import { formatTime } from '../../shared/format-time.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { HELD_DAYS } from '../../shared/node/contact/quarantine.ts';
import type { MailContent, MailItem } from '../mail/mail-content.ts';

export interface HeldMailContext {
  readonly siteName: string;
  readonly timeZone: string;
  readonly getDecisionUrl: (submissionId: string) => string;
}

export interface HeldMailFacts {
  /** One request at least. */
  readonly requests: readonly Submission[];
  /** Held requests that the next mail lists. */
  readonly moreCount: number;
}

/** Characters of the message: enough to tell a person from an advertisement. */
const MAX_MESSAGE_START = 300;

function shortenMessage(message: string): string {
  const characters = Array.from(message);
  const start = characters.slice(0, MAX_MESSAGE_START).join('');

  return characters.length > MAX_MESSAGE_START ? `${start} …` : start;
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
      ...(message === null ? [] : [{ label: 'Message', value: shortenMessage(message) }]),
    ],
    link: { label: 'Look at it and decide', url: getDecisionUrl(id) },
  };
}

/** Writes the mail that tells sales which requests are held as possible spam. */
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

  return {
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
    sections: [
      {
        title: 'To decide',
        isUrgent: false,
        items: requests.map((submission) => describe(submission, context)),
      },
    ],
    note: `${more}Opening a link changes nothing; the buttons on its page do. A request that is released is mailed like every other. What nobody releases is erased ${HELD_DAYS} days after it was held. This mail is sent at most once an hour.`,
    noteLink: null,
  };
}
