/**
 * The bare address of a mailbox: `site@example.com` of `The Site <site@example.com>`.
 * @param mailbox in one of the two forms the settings allow
 */
export function parseMailAddress(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox.trim())?.[1] ?? mailbox.trim();
}

/**
 * The `mailto` URL that writes to a mailbox or a bare address (RFC 6068). What has a meaning in URLs
 * is encoded: an address can't add a header.
 */
export function makeMailtoUrl(mailbox: string): string {
  const address = parseMailAddress(mailbox);
  const at = address.lastIndexOf('@');

  return `mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`;
}
