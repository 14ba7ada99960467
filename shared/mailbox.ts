/**
 * The bare address of a mailbox: `site@example.com` of `The Site <site@example.com>`.
 * @param mailbox in one of the two forms the settings allow
 */
export function readMailAddress(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox.trim())?.[1] ?? mailbox.trim();
}

/** The `mailto` URL of a mailbox (RFC 6068): what has a meaning in URLs is encoded. */
export function toMailtoUrl(mailbox: string): string {
  const [localPart = '', domain = ''] = readMailAddress(mailbox).split('@');

  return `mailto:${encodeURIComponent(localPart)}@${encodeURIComponent(domain)}`;
}
