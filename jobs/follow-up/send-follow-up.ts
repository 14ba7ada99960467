import { pathTo } from '../../shared/paths.ts';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { normalizeMailbox } from '../../shared/node/mail/email-address.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { loadSubmission, makeHandOver, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { toHeaderText } from '../../shared/node/mail/untrusted-text.ts';
import type { Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { writeFollowUpMail, type FollowUpContext } from './follow-up-mail.ts';

export interface FollowUpSettings extends Omit<FollowUpContext, 'contactedUrl'> {
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  readonly publicUrl: string;
  readonly linkSecrets: readonly string[];
}

/**
 * The request a mail is about.
 * @throws DeliveryError when no mail about it is wanted any more
 */
async function loadUnanswered(database: Database, delivery: ClaimedDelivery): Promise<Submission> {
  const submission = await loadSubmission(database, delivery);
  if (submission.contactedAt) throw new DeliveryError('cancelled', 'contacted');

  return submission;
}

/**
 * All of sales; or the one of them who refused an earlier mail for the moment.
 * @throws DeliveryError when that one is of sales no more
 */
function listRecipients({ recipient }: ClaimedDelivery, sales: readonly string[]) {
  if (recipient === null) return sales;
  const wanted = normalizeMailbox(recipient);
  const mailbox = sales.find((candidate) => normalizeMailbox(candidate) === wanted);
  if (mailbox === undefined) throw new DeliveryError('cancelled', 'recipient-removed');

  return [mailbox];
}

/** Creates the handler of follow-up deliveries: one mail to sales, unless they have answered. */
export function createFollowUpHandler(
  database: Database,
  mailer: Mailer,
  settings: FollowUpSettings,
): DeliveryHandler {
  return async (delivery, signal) => {
    const submission = await loadUnanswered(database, delivery);
    const { stage } = delivery;
    if (!stage) throw new DeliveryError('dead', 'no-stage');

    const token = signLinkToken('follow-up', submission.id, settings.linkSecrets);
    const mail = writeFollowUpMail(stage, submission, {
      ...settings,
      contactedUrl: settings.publicUrl + pathTo.followUp(token),
    });

    const { messageId, deferred } = await mailer.send(
      {
        key: `follow-up-${stage}-${delivery.id}`,
        to: listRecipients(delivery, settings.sales),
        ...renderMail(mail),
        replyTo: { name: toHeaderText(submission.name), address: submission.email },
        headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': stage },
      },
      {
        signal,
        beforeEnd: makeHandOver(database, delivery, () => loadUnanswered(database, delivery)),
      },
    );

    return { remoteRef: messageId, deferred };
  };
}
