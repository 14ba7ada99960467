/**
 * The bare address of a mailbox: `site@example.com` of `The Site <site@example.com>`.
 * @param mailbox in one of the two forms the settings allow
 */
export function readMailAddress(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox.trim())?.[1] ?? mailbox.trim();
}

/** The `mailto` URL of a mailbox; encoded, so that nothing in an address can add a header (RFC 6068). */
export function toMailtoUrl(mailbox: string): string {
  const address = readMailAddress(mailbox);
  const at = address.lastIndexOf('@');

  return `mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`;
}
