import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Second } from '../../time.ts';

/** What a link may be for, and the greatest age in milliseconds at which it still works. */
const maxAges = {
  'follow-up': 90 * Day,
  held: 90 * Day,
  'newsletter-confirm': 30 * Day,
  // Whoever gets mail can always end it.
  'newsletter-unsubscribe': Infinity,
} as const;

export type LinkPurpose = keyof typeof maxAges;

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,9})\\.([0-9a-f]{64})$`);

function sign(secret: string, purpose: LinkPurpose, content: string): Buffer {
  return createHmac('sha256', secret).update(`${purpose} ${content}`).digest();
}

/**
 * Makes the token of a link in a mail: it names a row and the second it was made, lower case only,
 * so that mail clients and proxies can't spoil it. It works for its purpose alone.
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

/** When the token of a genuine link was made, to the second. */
export function readLinkTime(token: string): Date {
  return new Date(Number.parseInt(token.split('.')[1] ?? '', 36) * Second);
}

/**
 * The id a token names; undefined when it is malformed, forged, made for another purpose or too
 * old for its own.
 */
export function readLinkToken(
  purpose: LinkPurpose,
  token: string,
  secrets: readonly string[],
  now: number = Date.now(),
): string | undefined {
  const [, id = '', madeAt = '', signature = ''] = TOKEN.exec(token) ?? [];
  const given = Buffer.from(signature, 'hex');
  const isGenuine = secrets.some((secret) => {
    const expected = sign(secret, purpose, `${id}.${madeAt}`);

    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const age = now - Number.parseInt(madeAt, 36) * Second;

  return isGenuine && age <= maxAges[purpose] ? id : undefined;
}
