import type { Database, Transaction } from '../database/database.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-table.ts';

/**
 * Calls off what is still to be mailed about a submission, or couldn't be; also what a worker is at,
 * unless it has been handed over. Returns the ids.
 */
export async function cancelFollowUps(
  transaction: Transaction,
  submissionId: string,
): Promise<string[]> {
  const rows = await transaction<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, kind: 'follow-up' })
    .whereRaw("(state in ('pending', 'dead') or (state = 'leased' and handed_over_at is null))")
    .update({ state: 'cancelled', last_error: 'contacted', lease_token: null, lease_until: null })
    .returning('id');

  return rows.map(({ id }) => id);
}

/** Whether a mail about a request is being sent that can't be stopped any more. */
export async function isMailUnderWay(database: Database, submissionId: string): Promise<boolean> {
  const row = await database<DeliveryRow>(DELIVERIES)
    .where({ submission_id: submissionId, kind: 'follow-up', state: 'leased' })
    .whereNotNull('handed_over_at')
    .first('id');

  return row !== undefined;
}
