import { listEventsOf, type SubmissionEvent } from '../../shared/node/contact/submission-events.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { listFollowUpMails } from '../../shared/node/deliveries/list-deliveries.ts';
import { parseMailAddress } from '../../shared/mailbox.ts';
import { sendOmittingRefusedText, type Mailer } from '../../shared/node/mail/mailer.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { loadSubmission, selectRecipients, sendMail, type DeliveryHandler } from '../deliveries/delivery-handler.ts';
import { writeOutcomeMail } from './outcome-mail.ts';
import { findOnlyReader, makeRequestLink } from './request-link.ts';
import { listReferences, type FollowUpSettings } from './send-follow-up.ts';

/**
 * Returns the request whose thread the mail belongs to, the event, and the request to show. The last two differ if the
 * same sender made another request.
 * @throws DeliveryError if one of them is erased
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
 * Returns the recipients of a mail about an event: everyone in sales except the event's author and the new assignee, who
 * already know about it. If the event was undone or its author is unknown, everyone in sales gets the mail.
 */
function listRecipients(delivery: ClaimedDelivery, { by, details, undoneAt }: SubmissionEvent, sales: readonly string[]) {
  const informed = details.isKnown && !undoneAt ? [by, details.to] : [];

  return selectRecipients(sales.filter((mailbox) => !informed.includes(parseMailAddress(mailbox))), delivery);
}

/** Creates the handler for mails to sales about an event or its undo. */
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

    return sendOmittingRefusedText((wasRefused) =>
      sendMail(
        { database, mailer, delivery, signal },
        {
          key: `outcome-${delivery.id}`,
          references: listReferences(mails, delivery.id),
          to,
          ...renderMail(writeOutcomeMail(shown, event, { ...settings, requestUrl, wasRefused })),
          headers: { 'X-Submission-Id': submission.id, 'X-Delivery-Stage': 'outcome' },
        },
      ),
    );
  };
}
