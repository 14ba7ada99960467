import { randomUUID } from 'node:crypto';
import { planDeliveries } from '../../shared/deliveries/delivery.ts';
import type { NewSubmission } from '../../shared/node/contact/contact-submission-store.ts';
import { insertWithDeliveries } from '../../shared/node/deliveries/delivery-store.ts';
import { Hour } from '../../shared/time.ts';
import type { Database } from '../../shared/node/database/database.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';

// This file is separate from `ops-fixture.ts`, which takes ten times as long to load because it imports all of `ops`.

/** Inserts a request as the web process does. Returns its id. */
export async function storeSubmission(
  database: Database,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const id = randomUUID();
  await database('contact_submissions').insert({
    id,
    name: 'Ada Example',
    email: 'ada@example.org',
    company: 'Example Sweets',
    phone: '+1 555 0100',
    industry: 'manufacturing',
    message: 'We spend Mondays retyping invoices.',
    submitted_at: new Date(),
    body_hash: 'abc',
    source: { utm_source: 'letter' },
    ...changes,
  });

  return id;
}

/** Inserts a delivery about a request. Returns its id. */
export async function storeDelivery(
  database: Database,
  submissionId: string,
  changes: Partial<DeliveryRow> = {},
): Promise<string> {
  const [row] = await database('deliveries')
    .insert({
      submission_id: submissionId,
      kind: 'follow-up',
      stage: 'new',
      due_at: new Date(),
      ...changes,
    })
    .returning('id');
  if (!row) throw new Error('There is no row.');

  return row.id;
}

/** A request before it is stored. */
export const makeNewSubmission = (): NewSubmission => ({
  id: randomUUID(),
  name: 'Ada',
  email: 'ada@example.org',
  company: 'Sweets',
  phone: null,
  industry: null,
  message: null,
  submittedAt: null,
  bodyHash: 'x',
  source: null,
  visitedPaths: null,
});

/** Stores a request with all its planned deliveries, as web does. */
export async function storePlannedRequest(database: Database) {
  const submission = makeNewSubmission();
  const plan = planDeliveries({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, acknowledges: false, hasChat: false });
  const deliveries = await database.transaction((transaction) => insertWithDeliveries(transaction, submission, plan));
  if (!deliveries) throw new Error('A request with this id exists.');

  return { submissionId: submission.id, deliveries };
}
