import type { Database } from '../../shared/node/database/database.ts';
import { countUnreported, listRequestsOfMail } from '../../shared/node/held-requests/held-requests.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { sendWithoutRefusedWords, type Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { DeliveryError, ResponseError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { pathTo } from '../../shared/paths.ts';
import { makeHandOver, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import type { MailSettings } from '../mail-settings.ts';
import { writeHeldMail } from './held-mail.ts';

export type HeldMailSettings = Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets' | 'sales' | 'timeZone'>;

/** Temporary refusals until the mail's words count as the reason: some filters never say so. */
const MAX_SOFT_REFUSALS = 3;

/** Whether the mail itself was refused, and so maybe what strangers typed. */
function isMailRefused(error: unknown, attempts: number): boolean {
  const failure = toDeliveryError(error);
  if (!(failure instanceof ResponseError) || failure.isRecipientRefusedForGood) return false;
  const isSoft = failure.status < 500 && !failure.isRecipientRefused;

  return failure.result === 'dead' || (isSoft && attempts >= MAX_SOFT_REFUSALS);
}

/** Handles mails about held requests. One that is refused is sent again without anything typed. */
export function createHeldMailHandler(database: Database, mailer: Mailer, settings: HeldMailSettings): DeliveryHandler {
  const { publicUrl, linkSecrets, sales } = settings;
  const getDecisionUrl = (id: string) => publicUrl + pathTo.heldRequest(signLinkToken('held', id, linkSecrets));

  return async (delivery, signal) => {
    const { subject, recipient, attempts } = delivery;
    const to = selectMailboxes(sales, recipient === null ? null : [recipient]);
    if (to.length === 0) throw new DeliveryError('cancelled', 'recipient-removed');
    const requests = subject === null ? [] : await listRequestsOfMail(database, subject);
    if (requests.length === 0) throw new DeliveryError('cancelled', 'nothing-held');
    const moreCount = await countUnreported(database);
    const send = async (wasRefused: boolean) => {
      const mail = writeHeldMail({ requests, moreCount, wasRefused }, { ...settings, getDecisionUrl });
      const { messageId, deferred } = await mailer.send(
        { key: `held-${subject}`, to, ...renderMail(mail), headers: {} },
        { signal, beforeEnd: makeHandOver(database, delivery) },
      );

      return { remoteRef: messageId, deferred };
    };

    return sendWithoutRefusedWords(send, (error) => isMailRefused(error, attempts));
  };
}
