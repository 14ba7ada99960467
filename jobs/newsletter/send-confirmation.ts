import type { MailContent } from '../../shared/node/mail/mail-content.ts';
import type { MailSettings } from '../mail-settings.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import {
  findSubscription,
  isSubscribed,
  type Subscription,
} from '../../shared/node/newsletter/newsletter-subscription-store.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { cancelForRefusedAddress, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import type { Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';

interface ConfirmationContext extends Pick<MailSettings, 'siteName' | 'publicUrl'> {
  readonly confirmUrl: string;
  readonly unsubscribeUrl: string;
}

/** Writes the mail that asks the owner of the address to confirm the subscription. */
export function writeConfirmationMail({
  siteName,
  publicUrl,
  confirmUrl,
  unsubscribeUrl,
}: ConfirmationContext): MailContent {
  return {
    siteName,
    subject: `[${siteName}] Please confirm your subscription`,
    preview: 'Open the link and press Confirm. If it was not you, ignore this email.',
    heading: 'Please confirm your subscription',
    lead: `Someone, probably you, entered this address for the ${siteName} newsletter on ${publicUrl}. The link below opens a page with one button that confirms it. The link works for 30 days.`,
    highlight: null,
    rows: [],
    message: null,
    link: { label: 'Confirm your subscription', url: confirmUrl },
    sections: [],
    note: 'If it was not you, ignore this email: without your confirmation no newsletter is sent. You can leave at any time.',
    noteLink: { label: 'Unsubscribe', url: unsubscribeUrl },
  };
}

/** Returns a delivery's subscription. Cancels the delivery if there is nothing to confirm. */
async function loadSubscription(
  database: Database,
  { subscriptionId }: ClaimedDelivery,
): Promise<Subscription> {
  const subscription =
    subscriptionId === null ? undefined : await findSubscription(database, subscriptionId);
  if (!subscription) throw new DeliveryError('cancelled', 'erased');
  if (isSubscribed(subscription)) throw new DeliveryError('cancelled', 'confirmed');

  return subscription;
}

/** Creates the handler for newsletter deliveries, the mails that ask a subscriber to confirm. */
export function createConfirmationHandler(
  database: Database,
  mailer: Mailer,
  { siteName, publicUrl, linkSecrets }: Pick<MailSettings, 'siteName' | 'publicUrl' | 'linkSecrets'>,
): DeliveryHandler {
  return async (delivery, signal) => {
    const { id, email } = await loadSubscription(database, delivery);
    const confirmToken = signLinkToken('newsletter-confirm', id, linkSecrets);
    const unsubscribeToken = signLinkToken('newsletter-unsubscribe', id, linkSecrets);
    const unsubscribeUrl = publicUrl + pathTo.newsletterUnsubscription(unsubscribeToken);
    const mail = writeConfirmationMail({
      siteName,
      publicUrl,
      confirmUrl: publicUrl + pathTo.newsletterConfirmation(confirmToken),
      unsubscribeUrl,
    });

    const outgoing = {
      key: `newsletter-${delivery.id}`,
      to: [email],
      ...renderMail(mail),
      // Mail programs show a button that posts without opening a page (RFC 8058).
      headers: {
        'List-Unsubscribe': `<${unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      },
    };

    try {
      return await sendMail({ database, mailer, delivery, signal }, outgoing);
    } catch (error) {
      throw cancelForRefusedAddress(error, delivery);
    }
  };
}
