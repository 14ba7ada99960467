import { randomUUID } from 'node:crypto';
import { lockSubmission } from '../contact/contact-submission-store.ts';
import { insertEvent, listEventsOf } from '../contact/submission-events.ts';
import type { Database } from '../database/database.ts';
import { insertEventMail } from '../deliveries/outcome-mails.ts';
import { selectMailboxes } from '../mail/email-address.ts';

/**
 * Records that the address or company behind a request sent another one, and schedules a mail to the assignee about it.
 * This happens once per request, so a flood of requests doesn't double the mails.
 * @param requestId the new request
 * @param sales the SALES_EMAIL mailboxes. All of them get the mail if the assignee is no longer among them
 */
export async function recordAskedAgain(
  database: Database,
  submissionId: string,
  requestId: string,
  sales: readonly string[],
): Promise<void> {
  await database.transaction(async (transaction) => {
    const submission = await lockSubmission(transaction, submissionId);
    if (!submission || submission.anonymisedAt) return;
    const events = await listEventsOf(transaction, submissionId);
    if (events.some(({ what }) => what === 'asked-again')) return;
    const { assignedTo } = submission;
    const recipient = assignedTo !== null && selectMailboxes(sales, [assignedTo]).length > 0 ? assignedTo : null;
    const eventId = randomUUID();
    await insertEvent(transaction, { id: eventId, submissionId, by: null, what: 'asked-again', details: { requestId } });
    await insertEventMail(transaction, { submissionId, eventId, stage: 'outcome', recipient });
  });
}
