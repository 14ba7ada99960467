import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Second } from '../../time.ts';

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

  return `${content}.${sign(secrets[0] ?? '', purpose, content).toString('hex')}`;
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
  const isValid = secrets.some((secret) => {
    const expected = sign(secret, purpose, `${id}.${createdAt}`);

    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const age = now - Number.parseInt(createdAt, 36) * Second;

  return isValid && age <= maxAges[purpose] ? id : undefined;
}
