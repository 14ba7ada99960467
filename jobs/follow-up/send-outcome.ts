import { listEventsOf, type SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { listFollowUpMails } from '../../shared/node/deliveries/list-deliveries.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { selectMailboxes } from '../../shared/node/mail/email-address.ts';
import { sendWithoutRefusedWords, type Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { loadSubmission, makeHandOver, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { writeOutcomeMail } from './outcome-mail.ts';
import { findOnlyReader, makeRequestLink } from './request-link.ts';
import { listReferences, type FollowUpSettings } from './send-follow-up.ts';

/**
 * The request whose thread the mail is in, what happened, and the request it shows: where somebody asked again, that one.
 * @throws DeliveryError when one of them is erased
 */
async function loadOutcome(database: Database, delivery: ClaimedDelivery) {
  const submission = await loadSubmission(database, delivery);
  const events = await listEventsOf(database, submission.id);
  const event = events.find(({ id }) => id === delivery.eventId);
  if (!event) throw new DeliveryError('cancelled', 'erased');
  const { requestId } = event.details;
  const shown = requestId === undefined ? submission : await loadSubmission(database, { ...delivery, submissionId: requestId });

  return { submission, event, shown };
}

/**
 * All of sales, where nobody knows who did it, as for all that is undone; else those who neither did it nor hear of it
 * by another mail.
 * @throws DeliveryError when there is nobody else
 */
function listRecipients({ recipient }: ClaimedDelivery, { by, details, undoneAt }: SubmissionEvent, sales: readonly string[]) {
  const knowing = details.isKnown && !undoneAt ? [by, details.to] : [];
  const others = sales.filter((mailbox) => !knowing.includes(parseMailAddress(mailbox)));
  const to = selectMailboxes(others, recipient === null ? null : [recipient]);
  if (to.length === 0) throw new DeliveryError('cancelled', 'recipient-removed');

  return to;
}

/** Creates the handler of mails to sales about what one of them, or somebody unknown, did or undid. */
export function createOutcomeHandler(
  database: Database,
  mailer: Mailer,
  settings: FollowUpSettings,
): DeliveryHandler {
  return async (delivery, signal) => {
    const { submission, event, shown } = await loadOutcome(database, delivery);
    const mails = await listFollowUpMails(database, submission.id);
    const to = listRecipients(delivery, event, settings.sales);
    const address = findOnlyReader(to, settings.sales);
    const requestUrl = makeRequestLink(shown.id, settings, { address, isKnown: true });

    return sendWithoutRefusedWords(async (wasRefused) => {
      const { messageId, deferred } = await mailer.send(
        {
          key: `outcome-${delivery.id}`,
          references: listReferences(mails, delivery.id),
          to,
          ...renderMail(writeOutcomeMail(shown, event, { ...settings, requestUrl, wasRefused })),
          headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': 'outcome' },
        },
        { signal, beforeEnd: makeHandOver(database, delivery) },
      );

      return { remoteRef: messageId, deferred };
    });
  };
}
