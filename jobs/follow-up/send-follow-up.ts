import { pathTo } from '../../shared/paths.ts';
import type { Database } from '../../shared/node/database.ts';
import { signLinkToken } from '../../shared/node/signed-link.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import { loadSubmission } from '../deliveries/load-submission.ts';
import type { Effect } from '../deliveries/run-delivery.ts';
import { toHeaderText } from '../mail/header-text.ts';
import type { Mailer } from '../mail/mailer.ts';
import { renderMail } from '../mail/render-mail.ts';
import { writeFollowUpMail, type FollowUpContext } from './follow-up-mail.ts';

export interface FollowUpSettings extends Omit<FollowUpContext, 'contactedUrl'> {
  /** The mailboxes of sales. */
  readonly sales: readonly string[];
  readonly publicUrl: string;
  readonly linkSecrets: readonly string[];
}

/** Makes the effect of a follow-up delivery: one mail to sales, unless they have answered. */
export function makeFollowUpEffect(
  database: Database,
  mailer: Mailer,
  settings: FollowUpSettings,
): Effect {
  return async (delivery, signal) => {
    const submission = await loadSubmission(database, delivery);
    if (submission.contactedAt) throw new DeliveryError('cancelled', 'contacted');
    const { stage } = delivery;
    if (!stage) throw new DeliveryError('dead', 'no-stage');

    const token = signLinkToken('follow-up', submission.id, settings.linkSecrets);
    const mail = writeFollowUpMail(stage, submission, {
      ...settings,
      contactedUrl: settings.publicUrl + pathTo.followUp(token),
    });

    return mailer.send(
      {
        key: `follow-up-${stage}-${delivery.id}`,
        to: settings.sales,
        ...renderMail(mail),
        replyTo: { name: toHeaderText(submission.name), address: submission.email },
        headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': stage },
      },
      signal,
    );
  };
}
