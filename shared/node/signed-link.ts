import { createHmac, timingSafeEqual } from 'node:crypto';
import { Day, Second } from '../time.ts';

const MAX_AGE = 90 * Day;
const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TOKEN = new RegExp(`^(${UUID})\\.([0-9a-z]{1,9})\\.([0-9a-f]{64})$`);

function sign(secret: string, content: string): Buffer {
  return createHmac('sha256', secret).update(`follow-up ${content}`).digest();
}

/**
 * Makes the token of a 'Mark as contacted' link: it names the submission and the second it was
 * made, lower case only, so that mail clients and proxies can't spoil it.
 */
export function signFollowUpToken(
  submissionId: string,
  secrets: readonly string[],
  now: number = Date.now(),
): string {
  const content = `${submissionId}.${Math.floor(now / Second).toString(36)}`;

  return `${content}.${sign(secrets[0] ?? '', content).toString('hex')}`;
}

/** The submission a token names; undefined when it is malformed, forged or older than 90 days. */
export function readFollowUpToken(
  token: string,
  secrets: readonly string[],
  now: number = Date.now(),
): string | undefined {
  const [, submissionId = '', madeAt = '', signature = ''] = TOKEN.exec(token) ?? [];
  const given = Buffer.from(signature, 'hex');
  const isGenuine = secrets.some((secret) => {
    const expected = sign(secret, `${submissionId}.${madeAt}`);

    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  const age = now - Number.parseInt(madeAt, 36) * Second;

  return isGenuine && age <= MAX_AGE ? submissionId : undefined;
}
