/** Returns the bare address of a mailbox: `site@example.com` for `The Site <site@example.com>`. */
export function parseMailAddress(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox.trim())?.[1] ?? mailbox.trim();
}

/**
 * Returns the `mailto` URL of a mailbox or address (RFC 6068). Encodes the address so that it can't add a header.
 * @param fields initial subject and body, with CRLF line endings
 */
export function makeMailtoUrl(mailbox: string, fields: { readonly subject?: string; readonly body?: string } = {}): string {
  const address = parseMailAddress(mailbox);
  const at = address.lastIndexOf('@');
  const query = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);

  return [`mailto:${encodeURIComponent(address.slice(0, at))}@${encodeURIComponent(address.slice(at + 1))}`, query.join('&')]
    .filter((part) => part !== '')
    .join('?');
}
