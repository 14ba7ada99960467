import { domainToASCII } from 'node:url';

/**
 * The address of a mailbox in a form that compares: `Sales <Sales@Bücher.example>` and
 * `sales@xn--bcher-kva.example` give the same. Not for sending.
 */
export function normalizeAddress(mailbox: string): string {
  const address = /<([^>]+)>$/.exec(mailbox)?.[1] ?? mailbox;
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  // Nodemailer quotes a local part that isn't of atoms and dots.
  const local = address.slice(0, at).replace(/^"(.*)"$/, '$1');

  return `${local}@${domainToASCII(domain) || domain}`.toLowerCase();
}
