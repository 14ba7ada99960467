import { Second } from '../time.ts';
import type { FormSignals } from './contact-request.ts';
import type { ContactFields } from './contact-schema.ts';

/** The hidden field's name. Bots fill in a subject, but browsers don't autofill it. */
export const honeypotName = 'subject';

/** Minimum time to fill in the form, in milliseconds. Even with autofill, people need longer for three fields. */
const MIN_FILL_TIME = 2 * Second;

/** People may link a site and a page. More links suggest advertising. */
const MAX_MESSAGE_LINKS = 2;

/** A link that every mail program recognizes. A name like `Example.com` isn't one. */
const LINK = /https?:\/\/(?:www\.)?|\bwww\./gi;

const countLinks = (text: string | null): number => text?.match(LINK)?.length ?? 0;

/** The company name is not checked because some companies are named after domains. */
const hasLinkInName = (name: string): boolean => countLinks(name) > 0;
const hasManyLinks = (message: string | null): boolean =>
  countLinks(message) > MAX_MESSAGE_LINKS;

/** Each of these signals alone makes a request suspected spam. */
const spamSignals = ['honeypot', 'too-fast', 'links'] as const;
type SpamSignal = (typeof spamSignals)[number];

/**
 * Why a request is held, as stored in `quarantine_reasons`. `restored`: held in a backup, and possibly released since.
 */
export type QuarantineReason = SpamSignal | 'network-rate' | 'total-rate' | 'restored';

/**
 * Returns a request's spam signals. Scripts and forms without JavaScript send no timing or hidden field, so missing
 * values are ignored.
 */
export function findSpamSignals(
  { name, message }: Pick<ContactFields, 'name' | 'message'>,
  { honeypot = '', filled_in_ms: filledInMs = MIN_FILL_TIME }: FormSignals,
): readonly SpamSignal[] {
  const signals: Readonly<Record<SpamSignal, boolean>> = {
    honeypot: honeypot.trim() !== '',
    'too-fast': filledInMs < MIN_FILL_TIME,
    links: hasLinkInName(name) || hasManyLinks(message),
  };

  return spamSignals.filter((signal) => signals[signal]);
}

function describeLinks({ name, message }: Pick<ContactFields, 'name' | 'message'>): string[] {
  const found = [
    ...(hasLinkInName(name) ? ['link in the name'] : []),
    ...(hasManyLinks(message) ? ['three links or more in the message'] : []),
  ];

  // No link is found if the rule has changed since the request was held.
  return found.length === 0 ? ['links'] : found;
}

const words: Readonly<Record<Exclude<QuarantineReason, 'links'>, string>> = {
  honeypot: 'hidden field filled in',
  'too-fast': 'sent within two seconds',
  'network-rate': 'many requests from the same network',
  'total-rate': 'many requests at the same time',
  restored: 'held again by a restore: it may have been released before',
};

/** Describes why a request is held. */
export const describeSpamReasons = (
  reasons: readonly QuarantineReason[],
  fields: Pick<ContactFields, 'name' | 'message'>,
): string[] => reasons.flatMap((reason) => (reason === 'links' ? describeLinks(fields) : words[reason]));
