import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Minute, Second } from '../../time.ts';
import { SiteError } from '../logging/describe-error.ts';

/** How long a trial request may take to arrive; clocks of two machines may differ by a part of it. */
export const TRIAL_AGE = 5 * Minute;

/** What a link may be for, and its lifetime in milliseconds. */
const maxAges = {
  'follow-up': 90 * Day,
  held: 90 * Day,
  'newsletter-confirm': 30 * Day,
  // Whoever gets mail can always unsubscribe.
  'newsletter-unsubscribe': Infinity,
  // No link: the worker's own request.
  trial: TRIAL_AGE,
} as const;

export type LinkPurpose = keyof typeof maxAges;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,9})\\.([0-9a-f]{64})$`);

function sign(secret: string, purpose: LinkPurpose, content: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}

/** Of the secrets in use the one that signs; what the others have signed is valid. */
function getSigningSecret([secret]: readonly string[]): string {
  if (secret === undefined) throw new SiteError('There is no secret to sign with.');

  return secret;
}

/**
 * Creates the token of a link in a mail: it names a row and the second of its creation, in lower case
 * only, so that mail clients and proxies can't change it. It is valid for its purpose alone.
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

/** Who reads a link, by its mark. */
export interface LinkReader {
  /** The address of sales it was mailed to; null if it went to several. */
  readonly address: string | null;
  /**
   * It stood in a mail about an outcome, which goes to sales alone. The link of any other mail may have been quoted
   * in the answer to a visitor.
   */
  readonly isKnown: boolean;
}

/** 64 bits: nobody guesses one. */
const MARK_DIGITS = 16;

const markOf = (secret: string, token: string, { address, isKnown }: LinkReader) =>
  createHmac('sha256', secret)
    .update(`${isKnown ? 'known' : 'named'} ${token} ${address ?? ''}`)
    .digest('hex')
    .slice(0, MARK_DIGITS);

/** Creates the mark of a reader's copy of a link. It doesn't show the address. */
export const markReader = (token: string, reader: LinkReader, secrets: readonly string[]): string =>
  markOf(getSigningSecret(secrets), token, reader);

const areSame = (given: Buffer, expected: Buffer): boolean =>
  given.length === expected.length && timingSafeEqual(given, expected);

/** Who reads a link with a mark. Without a valid mark the reader is unknown. */
export function findReader(
  token: string,
  mark: string,
  sales: readonly string[],
  secrets: readonly string[],
): LinkReader {
  const readers = [null, ...sales].flatMap((address) => [true, false].map((isKnown) => ({ address, isKnown })));
  const found = readers.find((reader) =>
    secrets.some((secret) => areSame(Buffer.from(mark), Buffer.from(markOf(secret, token, reader)))),
  );
  const [only = null, ...others] = sales;

  return {
    address: found?.address ?? (others.length === 0 ? only : null),
    isKnown: found?.isKnown ?? false,
  };
}

/** When the token of a valid link was created, to the second. */
export function readLinkTime(token: string): Date {
  return new Date(Number.parseInt(token.split('.')[1] ?? '', 36) * Second);
}

/**
 * The id a token names; undefined when it is malformed, forged, for another purpose or expired.
 */
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
