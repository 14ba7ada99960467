import { Second } from '../time.ts';
import type { ContactFields } from './contact-schema.ts';

/**
 * The field no person sees. Forms have a subject, so programs fill it in; browsers know no such
 * thing to fill in by themselves.
 */
export const honeypotName = 'subject';

/**
 * Header of the answer to a request that is stored and held: the same request again, with a proof of
 * work, is released. The browser can't know by itself how many requests came before.
 */
export const proofHeader = 'proof-of-work';

/** Less than a person needs for three fields, also with a browser that fills them in. */
const MIN_FILL_TIME = 2 * Second;

/** A person may send the address of a site and of a page; lists of links are advertising. */
const MAX_MESSAGE_LINKS = 2;

/** What mail programs and browsers make a link of for sure; a name like `Example.com` is none. */
const LINK = /https?:\/\/(?:www\.)?|\bwww\./gi;

const countLinks = (text: string | null): number => text?.match(LINK)?.length ?? 0;

/** What makes a request doubtful without making it spam. */
export type SpamDoubt = 'too-fast' | 'links';

/** Where links raise doubt. The company's name is not looked at: companies are named after domains. */
export const hasLinkInName = (name: string): boolean => countLinks(name) > 0;
export const hasManyLinks = (message: string | null): boolean =>
  countLinks(message) > MAX_MESSAGE_LINKS;

/**
 * Finds reasons to ask for a proof of work; the browser and the server use the same.
 * @param filledInMs how long the form took, where that is known
 */
export function findSpamDoubts(
  { name, message }: Pick<ContactFields, 'name' | 'message'>,
  filledInMs: number | undefined,
): readonly SpamDoubt[] {
  const isFast = filledInMs !== undefined && filledInMs < MIN_FILL_TIME;
  const hasLinks = hasLinkInName(name) || hasManyLinks(message);

  return [...(isFast ? ['too-fast' as const] : []), ...(hasLinks ? ['links' as const] : [])];
}
