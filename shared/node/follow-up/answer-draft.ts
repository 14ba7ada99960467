import { mails } from '#content/mails';
import { cutText } from '../../cut-text.ts';
import { makeMailtoUrl } from '../../mailbox.ts';
import { fillPlaceholders } from '../../site.ts';
import type { Submission } from '../contact/contact-submission-store.ts';
import { cleanText, defangLine } from '../mail/untrusted-text.ts';

/** Longest URL that mail programs on Windows accept. */
const MAX_URL = 2_000;
const MAX_LINE_LENGTH = 60;
/** Maximum length of a name in the label. Mail programs don't break words, so a longer name could widen the mail. */
const MAX_LABEL_NAME = 20;

/** A title, the last name of `Smith, Dana`, or a word without letters. */
const NO_FIRST_NAME = /[.,]$|^(?:mr|mrs|ms|dr|prof|\P{L}+)$/iu;

/** Puts text on one line and removes disguising characters and unpaired surrogates. */
const toLine = (text: string) => cutText(cleanText(text).replace(/[\s\p{Cs}]+/gu, ' ').trim(), MAX_LINE_LENGTH);

/** Returns the first name, or a single word unchanged. */
function getFirstName(name: string): string {
  const words = toLine(name).split(' ');

  return words.find((word) => !NO_FIRST_NAME.test(word)) ?? words.join(' ');
}

/** Values that the site provides. */
export interface DraftContext {
  readonly siteName: string;
  /** Where visitors can pick a time. */
  readonly bookingUrl: string | undefined;
}

/**
 * Returns a link that opens a draft reply to the visitor in the reader's mail program, based on the template in
 * `mails.yaml`. Null if the mail server refused the visitor's address.
 */
export function draftAnswer(
  { name, email, company, emailRefusedAt }: Pick<Submission, 'name' | 'email' | 'company' | 'emailRefusedAt'>,
  { siteName, bookingUrl }: DraftContext,
): { readonly label: string; readonly url: string } | null {
  if (emailRefusedAt) return null;
  const visitor = getFirstName(name);
  const { subject, paragraphs } = mails.answer;
  // Insert the visitor's words last, so that placeholders in them aren't replaced.
  const values = { name: siteName, booking: bookingUrl ?? '', visitor, company: toLine(company) };
  const fill = (text: string) => fillPlaceholders(text, values);
  const shown = paragraphs.filter((text) => bookingUrl !== undefined || !text.includes('{booking}'));
  const draft = { subject: fill(subject), body: `${shown.map(fill).join('\r\n\r\n')}\r\n` };
  const url = makeMailtoUrl(email, draft);

  return {
    label: `Reply to ${defangLine(cutText(visitor, MAX_LABEL_NAME))}`,
    url: url.length <= MAX_URL ? url : makeMailtoUrl(email, { subject: draft.subject }),
  };
}
