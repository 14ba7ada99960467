import { domainToASCII, domainToUnicode } from 'node:url';

const trimToLowerCase = (email: string) => email.trim().normalize('NFC').toLowerCase();

/** Domains that are written in one way only. */
const PLAIN_DOMAIN = /^(?!.*xn--)[a-z0-9.-]*$/;

/**
 * Every form in which an address may be stored, in lower case and NFC. The first one has the domain in ASCII
 * (`xn--bcher-kva.example`). A domain in its own script (`bücher.example`) is the same domain, and contact
 * requests are stored as typed.
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

/** Gmail ignores dots in the local part and delivers mail for both domains to one mailbox. */
const GMAIL = /^(gmail|googlemail)\.com$/;

/**
 * The key that limits use for an address. Addresses that differ only in `+…`, or in Gmail's dots, lead to one mailbox
 * and have the same key. Only for limits: stored addresses stay as they are, and an erasure compares them exactly.
 */
export function getMailboxKey(email: string): string {
  const address = normalizeAddress(email);
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  const localPart = address.slice(0, at).replace(/(?<=.)\+.*/, '');

  return GMAIL.test(domain) ? `${localPart.replaceAll('.', '')}@gmail.com` : `${localPart}@${domain}`;
}

/** Names of mailboxes behind which there is a program, without their separators. */
const PROGRAM =
  /^(?:(?:no|donot|dont)reply|mailerdaemon)|^(?:postmaster|bounces?\d*|autoreply|autoresponder|listserv|majordomo|mdaemon|daemon|nobody|devnull)$/;
/** The addresses of a list's program (RFC 2142, RFC 3834). */
const LIST_PROGRAM = /^owner-|-(?:request|bounces?)$/;

/** Whether mail to an address is answered by a program, if at all: a mail to it may loop. */
export function isAutomaticAddress(email: string): boolean {
  const [name = ''] = normalizeAddress(email).split(/[+@]/, 1);

  return LIST_PROGRAM.test(name) || PROGRAM.test(name.replaceAll(/[._-]/g, ''));
}

/** The address of a mailbox such as `Sales <sales@example.com>`, in the form that compares; not for sending. */
export function normalizeMailbox(mailbox: string): string {
  const address = /<([^<>]+)>$/.exec(mailbox)?.[1] ?? mailbox;

  // Nodemailer quotes a local part that isn't of atoms and dots.
  return normalizeAddress(address.replace(/^"(.*)"@/, '$1@'));
}

/** The mailboxes of these addresses, or all of them where no addresses are given. */
export function selectMailboxes(
  mailboxes: readonly string[],
  addresses: readonly string[] | null,
): readonly string[] {
  if (addresses === null) return mailboxes;
  const wanted = new Set(addresses.map(normalizeMailbox));

  return mailboxes.filter((mailbox) => wanted.has(normalizeMailbox(mailbox)));
}
