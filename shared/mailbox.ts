/**
 * The bare address of a mailbox: `site@example.com` of `The Site <site@example.com>`.
 * @param mailbox in one of the two forms the settings allow
 */
export function readMailAddress(mailbox: string): string {
  return /<([^<>]*)>$/.exec(mailbox.trim())?.[1] ?? mailbox.trim();
}
