import { pathTo } from '../../shared/paths.ts';
import { signFollowUpToken } from '../../shared/node/signed-link.ts';
import { DeliveryError } from '../deliveries/delivery-error.ts';
import type { Effect } from '../deliveries/run-delivery.ts';
import type { Mailer } from '../mail/mailer.ts';
import { writeFollowUpMail, type FollowUpContext } from './follow-up-mail.ts';
import { renderHtml, renderText } from './render-mail.ts';

export interface FollowUpSettings extends Omit<FollowUpContext, 'contactedUrl'> {
  readonly publicUrl: string;
  readonly linkSecrets: readonly string[];
}

/** Makes the effect of a follow-up delivery: one mail to sales. */
export function makeFollowUpEffect(mailer: Mailer, settings: FollowUpSettings): Effect {
  return async (delivery, submission, signal) => {
    const { stage } = delivery;
    if (!stage) throw new DeliveryError('dead', 'no-stage');

    const token = signFollowUpToken(submission.id, settings.linkSecrets);
    const mail = writeFollowUpMail(stage, submission, {
      ...settings,
      contactedUrl: settings.publicUrl + pathTo.followUp(token),
    });

    return mailer.send(
      {
        key: `follow-up-${stage}-${delivery.id}`,
        subject: mail.subject,
        text: renderText(mail),
        html: renderHtml(mail),
        replyTo: { name: submission.name, address: submission.email },
        headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': stage },
      },
      signal,
    );
  };
}
