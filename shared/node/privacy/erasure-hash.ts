import { createHmac } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Whom an erasure is about: everything of one address, or one request. */
export const erasureKinds = ['email', 'submission'] as const;
export type ErasureKind = (typeof erasureKinds)[number];

/** Keys for hashing erased subjects, made from one secret. */
export interface ErasureKey {
  /** Names the key without giving it away; kept with every hash made with it. */
  readonly id: string;
  readonly hash: (kind: ErasureKind, subject: string) => string;
}

const makeHmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text);

/** The keys of the configured secrets, in their order: the first is used for new hashes. */
export function makeErasureKeys(secrets: readonly string[]): readonly ErasureKey[] {
  return secrets.map((secret) => {
    // A key for this purpose alone: no signature of a link says anything about a hash.
    const key = makeHmac(secret, 'erasures').digest();

    return {
      id: makeHmac(key, 'key id').digest('hex').slice(0, 16),
      hash: (kind, subject) => makeHmac(key, `${kind} ${subject}`).digest('hex'),
    };
  });
}

const trimToLowerCase = (email: string) => email.trim().normalize('NFC').toLowerCase();

/** Domains that are written in one way only. */
const PLAIN_DOMAIN = /^(?!.*xn--)[a-z0-9.-]*$/;

/**
 * Every form in which an address may have been hashed or stored, in lower case and NFC. The first one
 * is that of new hashes: the domain in ASCII (`xn--bcher-kva.example`). A domain in its own script
 * (`bücher.example`) is the same one, and older hashes were made of whichever form was typed.
 */
export function listAddressForms(email: string): readonly [string, ...string[]] {
  const typed = trimToLowerCase(email);
  const at = typed.lastIndexOf('@') + 1;
  const [localPart, domain] = [typed.slice(0, at), typed.slice(at)];
  if (PLAIN_DOMAIN.test(domain)) return [typed];
  const ascii = domainToASCII(domain);
  // Empty for what is no domain.
  if (ascii === '') return [typed];
  const others = new Set([localPart + domainToUnicode(ascii).normalize('NFC'), typed]);
  others.delete(localPart + ascii);

  return [localPart + ascii, ...others];
}

/** An address as it is hashed and compared: people write theirs in either case and script. */
export function normalizeAddress(email: string): string {
  return listAddressForms(email)[0];
}
