import { parseMailAddress } from '../../shared/mailbox.ts';
import { markRecipient, signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import type { MailSettings } from '../mail-settings.ts';

/**
 * The signed action link to the page on which sales sees and settles a request.
 * @param reader the mailbox of the one of sales whose copy it is; without, the page doesn't know who uses it
 */
export function makeRequestLink(
  submissionId: string,
  { publicUrl, linkSecrets }: Pick<MailSettings, 'publicUrl' | 'linkSecrets'>,
  reader?: string,
): string {
  const token = signLinkToken('follow-up', submissionId, linkSecrets);
  const mark = reader === undefined ? undefined : markRecipient(token, parseMailAddress(reader), linkSecrets);

  return publicUrl + pathTo.followUp(token, mark);
}
