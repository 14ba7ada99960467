import { domainToASCII, domainToUnicode } from 'node:url';

const trimToLowerCase = (email: string) => email.trim().normalize('NFC').toLowerCase();

/** ASCII domains without an encoded part, which have only one spelling. */
const PLAIN_DOMAIN = /^(?!.*xn--)[a-z0-9.-]*$/;

/**
 * Lists every form in which an address may be stored, in lower case and NFC. The first one has the domain in ASCII
 * (`xn--bcher-kva.example`). Contact requests are stored as typed, so the domain may be in Unicode (`bücher.example`).
 */
export function listAddressForms(email: string): readonly [string, ...string[]] {
  const typed = trimToLowerCase(email);
  const at = typed.lastIndexOf('@') + 1;
  const [localPart, domain] = [typed.slice(0, at), typed.slice(at)];
  if (PLAIN_DOMAIN.test(domain)) return [typed];
  const ascii = domainToASCII(domain);
  // Empty if the domain is invalid.
  if (ascii === '') return [typed];
  const others = new Set([localPart + domainToUnicode(ascii).normalize('NFC'), typed]);
  others.delete(localPart + ascii);

  return [localPart + ascii, ...others];
}

/** Returns an address in the form used for hashing and comparing. */
export function normalizeAddress(email: string): string {
  return listAddressForms(email)[0];
}

/** Gmail ignores dots in the local part, and both domains share their mailboxes. */
const GMAIL = /^(gmail|googlemail)\.com$/;

/**
 * Returns the key under which limits count an address. Addresses that differ only in `+…`, or in dots at Gmail, share
 * a mailbox and have the same key. Use it only for limits, because erasures compare stored addresses exactly.
 */
export function getMailboxKey(email: string): string {
  const address = normalizeAddress(email);
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const localPart = address.slice(0, at).replace(/(?<=.)\+.*/, '');

  return GMAIL.test(domain) ? `${localPart.replaceAll('.', '')}@gmail.com` : `${localPart}@${domain}`;
}

/** Names of program mailboxes, without separators. */
const PROGRAM =
  /^(?:(?:no|donot|dont)reply|mailerdaemon)|^(?:postmaster|bounces?\d*|autoreply|autoresponder|listserv|majordomo|mdaemon|daemon|nobody|devnull)$/;
/** Mailbox names that mailing list programs use (RFC 2142, RFC 3834). */
const LIST_PROGRAM = /^owner-|-(?:request|bounces?)$/;

/** Returns whether an address belongs to a program. Mailing one may start a loop. */
export function isAutomaticAddress(email: string): boolean {
  const [name = ''] = normalizeAddress(email).split(/[+@]/, 1);

  return LIST_PROGRAM.test(name) || PROGRAM.test(name.replaceAll(/[._-]/g, ''));
}

/** Returns the address of a mailbox such as `Sales <sales@example.com>`, normalized for comparisons, not for sending. */
export function normalizeMailbox(mailbox: string): string {
  const address = /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;

  // Nodemailer quotes unusual local parts.
  return normalizeAddress(address.replace(/^"(.*)"@/, '$1@'));
}

/** Returns the mailboxes whose address is in `addresses`. */
export function selectMailboxes(mailboxes: readonly string[], addresses: readonly string[]): readonly string[] {
  const wanted = new Set(addresses.map(normalizeMailbox));

  return mailboxes.filter((mailbox) => wanted.has(normalizeMailbox(mailbox)));
}
