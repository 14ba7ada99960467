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
 * @param fields what the mail begins with; lines of the body end with CRLF
 */
export function makeMailtoUrl(mailbox: string, fields: { readonly subject?: string; readonly body?: string } = {}): string {
  const address = parseMailAddress(mailbox);
  const at = address.lastIndexOf('@');
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);

  return [`mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`, query.join('&')]
    .filter((part) => part !== '')
    .join('?');
}
