import { Second } from '../time.ts';
import type { FormSignals } from './contact-request.ts';
import type { ContactFields } from './contact-schema.ts';

/**
 * The field no person sees. Forms have a subject, so programs fill it in; browsers know no such
 * thing to fill in by themselves.
 */
export const honeypotName = 'subject';

/** Less than a person needs for three fields, also with a browser that fills them in. */
const MIN_FILL_TIME = 2 * Second;

/** A person may send the address of a site and of a page; lists of links are advertising. */
const MAX_MESSAGE_LINKS = 2;

/** What mail programs and browsers make a link of for sure; a name like `Example.com` is none. */
const LINK = /https?:\/\/(?:www\.)?|\bwww\./gi;

const countLinks = (text: string | null): number => text?.match(LINK)?.length ?? 0;

/** Where links are a signal. The company's name is not checked: companies are named after domains. */
const hasLinkInName = (name: string): boolean => countLinks(name) > 0;
const hasManyLinks = (message: string | null): boolean =>
  countLinks(message) > MAX_MESSAGE_LINKS;

/** What makes a request suspected spam by itself. */
const spamSignals = ['honeypot', 'too-fast', 'links'] as const;
type SpamSignal = (typeof spamSignals)[number];

/**
 * Why a request is held, as `quarantine_reasons` lists it. `restored`: it was held in a backup, and may have been
 * released since.
 */
export type QuarantineReason = SpamSignal | 'network-rate' | 'total-rate' | 'restored';

/**
 * The spam signals of a request. Signals of the form that are missing mean nothing: scripts and forms without
 * JavaScript have none.
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

  // Held by a rule that has changed since.
  return found.length === 0 ? ['links'] : found;
}

const words: Readonly<Record<Exclude<QuarantineReason, 'links'>, string>> = {
  honeypot: 'hidden field filled in',
  'too-fast': 'sent within two seconds',
  'network-rate': 'many requests from the same network',
  'total-rate': 'many requests at the same time',
  restored: 'held again by a restore: it may have been released before',
};

/** Why a request is held, in words for people. */
export const describeSpamReasons = (
  reasons: readonly QuarantineReason[],
  fields: Pick<ContactFields, 'name' | 'message'>,
): string[] => reasons.flatMap((reason) => (reason === 'links' ? describeLinks(fields) : words[reason]));
