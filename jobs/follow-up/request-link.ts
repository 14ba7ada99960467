import { markReader, signLinkToken, type LinkReader } from '../../shared/node/mail/signed-action-link.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { pathTo } from '../../shared/paths.ts';
import type { MailSettings } from '../mail-settings.ts';

type LinkSettings = Pick<MailSettings, 'publicUrl' | 'linkSecrets'>;

/**
 * The signed action link to the page on which sales sees and settles a request.
 * @param reader whose copy it is; without, the page takes whoever uses it for unknown
 */
export function makeRequestLink(
  submissionId: string,
  { publicUrl, linkSecrets }: LinkSettings,
  reader?: LinkReader,
): string {
  const token = signLinkToken('follow-up', submissionId, linkSecrets);

  return publicUrl + pathTo.followUp(token, reader && markReader(token, reader, linkSecrets));
}

/** The address of the one of sales to whom alone a mail goes; null where it goes to several, or sales is one. */
export function findOnlyReader(to: readonly string[], sales: readonly string[]): string | null {
  const [only] = to;

  return only !== undefined && to.length === 1 && sales.length > 1 ? parseMailAddress(only) : null;
}
