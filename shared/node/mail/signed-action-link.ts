import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Minute, Second } from '../../time.ts';
import { SiteError } from '../logging/describe-error.ts';

/** How long a trial request may take to arrive. Allows for clock differences between machines. */
export const TRIAL_AGE = 5 * Minute;

/** Link purposes and their lifetimes in milliseconds. */
const maxAges = {
  'follow-up': 90 * Day,
  held: 90 * Day,
  'newsletter-confirm': 30 * Day,
  // Recipients can always unsubscribe.
  'newsletter-unsubscribe': Infinity,
  // Not a link, but the worker's own request.
  trial: TRIAL_AGE,
} as const;

export type LinkPurpose = keyof typeof maxAges;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,9})\\.([0-9a-f]{64})$`);

function sign(secret: string, purpose: LinkPurpose, content: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}

/** Returns the secret to sign with. Signatures made with the other secrets remain valid. */
function getSigningSecret([secret]: readonly string[]): string {
  if (secret === undefined) throw new SiteError('There is no secret to sign with.');

  return secret;
}

/**
 * Creates the token for a link in a mail. It contains a row's id and the token's creation time in seconds, and is valid
 * for one purpose. It is in lower case, so that mail programs and proxies can't change it.
 */
export function signLinkToken(
  purpose: LinkPurpose,
  id: string,
  secrets: readonly string[],
  now: number = Date.now(),
): string {
  const content = `${id}.${Math.floor(now / Second).toString(36)}`;

  return `${content}.${sign(getSigningSecret(secrets), purpose, content).toString('hex')}`;
}

/** The reader of a link, identified by the mark in the link. */
export interface LinkReader {
  /** The sales address that got the link, or null if several did. */
  readonly address: string | null;
  /**
   * Whether the link is from a mail about an outcome, which only sales gets. Links in other mails may have been quoted
   * in an answer to a visitor.
   */
  readonly isKnown: boolean;
}

/** Length of a mark: 64 bits, too many to guess. */
const MARK_DIGITS = 16;

/** Don't change the signed text. Links in mails from earlier versions are valid for months. */
const computeMark = (secret: string, token: string, { address, isKnown }: LinkReader) =>
  createHmac('sha256', secret)
    .update(`${isKnown ? 'known' : 'named'} ${token} ${address ?? ''}`)
    .digest('hex')
    .slice(0, MARK_DIGITS);

/** Creates the mark for a reader's copy of a link. The mark doesn't reveal the address. */
export const markReader = (token: string, reader: LinkReader, secrets: readonly string[]): string =>
  computeMark(getSigningSecret(secrets), token, reader);

const areSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/** Returns the reader of a link. Without a valid mark the reader is unknown. */
export function findReader(
  token: string,
  mark: string,
  sales: readonly string[],
  secrets: readonly string[],
): LinkReader {
  const readers = [null, ...sales].flatMap((address) => [true, false].map((isKnown) => ({ address, isKnown })));
  const found = readers.find((reader) =>
    secrets.some((secret) => areSame(Buffer.from(mark), Buffer.from(computeMark(secret, token, reader)))),
  );
  const [only = null, ...others] = sales;

  return {
    address: found?.address ?? (others.length === 0 ? only : null),
    isKnown: found?.isKnown ?? false,
  };
}

/** Returns when the token of a valid link was created, to the second. */
export function readLinkTime(token: string): Date {
  return new Date(Number.parseInt(token.split('.')[1] ?? '', 36) * Second);
}

/** Returns the id in a token, or undefined if the token is malformed, forged, expired or for another purpose. */
export function readLinkToken(
  purpose: LinkPurpose,
  token: string,
  secrets: readonly string[],
  now: number = Date.now(),
): string | undefined {
  const [, id = '', createdAt = '', signature = ''] = TOKEN.exec(token) ?? [];
  const given = Buffer.from(signature, 'hex');
  const isValid = secrets.some((secret) => areSame(given, sign(secret, purpose, `${id}.${createdAt}`)));
  const age = now - Number.parseInt(createdAt, 36) * Second;

  return isValid && age <= maxAges[purpose] ? id : undefined;
}
