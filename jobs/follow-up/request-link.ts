import { markReader, signLinkToken, type LinkReader } from '../../shared/node/mail/signed-action-link.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { pathTo } from '../../shared/paths.ts';
import type { MailSettings } from '../mail-settings.ts';

type LinkSettings = Pick<MailSettings, 'publicUrl' | 'linkSecrets'>;

/**
 * Returns the signed link to the page where sales views and settles a request.
 * @param reader recipient of the link. If omitted, the page treats the reader as unknown
 */
export function makeRequestLink(
  submissionId: string,
  { publicUrl, linkSecrets }: LinkSettings,
  reader?: LinkReader,
): string {
  const token = signLinkToken('follow-up', submissionId, linkSecrets);

  return publicUrl + pathTo.followUp(token, reader && markReader(token, reader, linkSecrets));
}

/** Returns a mail's only recipient; null if there are several, or if sales is a single person. */
export function findOnlyReader(to: readonly string[], sales: readonly string[]): string | null {
  const [only] = to;

  return only !== undefined && to.length === 1 && sales.length > 1 ? parseMailAddress(only) : null;
}
