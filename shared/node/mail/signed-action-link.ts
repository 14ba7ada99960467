import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Second } from '../../time.ts';
import { SiteError } from '../logging/describe-error.ts';

/** What a link may be for, and its lifetime in milliseconds. */
const maxAges = {
  'follow-up': 90 * Day,
  held: 90 * Day,
  'newsletter-confirm': 30 * Day,
  // Whoever gets mail can always unsubscribe.
  'newsletter-unsubscribe': Infinity,
} as const;

export type LinkPurpose = keyof typeof maxAges;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,9})\\.([0-9a-f]{64})$`);

function sign(secret: string, purpose: LinkPurpose, content: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}

/** Of the secrets in use the one that signs; what the others have signed is valid. */
export function getSigningSecret([secret]: readonly string[]): string {
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

/** Long enough that nobody guesses another's; it opens nothing. */
const MARK_DIGITS = 16;

const markOf = (secret: string, token: string, address: string) =>
  createHmac('sha256', secret).update(`recipient ${token} ${address}`).digest('hex').slice(0, MARK_DIGITS);

/** Creates the mark of whose copy of a link it is, without naming them in the address. */
export const markRecipient = (token: string, address: string, secrets: readonly string[]): string =>
  markOf(getSigningSecret(secrets), token, address);

/** Of some addresses the one whose copy of a link has a mark; undefined for any other mark. */
export const findRecipient = (
  token: string,
  mark: string,
  addresses: readonly string[],
  secrets: readonly string[],
): string | undefined =>
  addresses.find((address) => secrets.some((secret) => markOf(secret, token, address) === mark));

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
  const isValid = secrets.some((secret) => {
    const expected = sign(secret, purpose, `${id}.${createdAt}`);

    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const age = now - Number.parseInt(createdAt, 36) * Second;

  return isValid && age <= maxAges[purpose] ? id : undefined;
}
