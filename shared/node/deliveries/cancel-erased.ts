import type { Transaction } from '../database/database.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-table.ts';

/**
 * Calls off what is still to be done for submissions whose data was erased. What a worker is doing
 * right now ends by itself, so that the other side's name for it is recorded; a next try finds
 * nothing to do.
 * @returns how many were called off
 */
export async function cancelErasedDeliveries(
  transaction: Transaction,
  submissionIds: readonly string[],
): Promise<number> {
  return transaction<DeliveryRow>(DELIVERIES)
    .whereIn('submission_id', [...submissionIds])
    .whereIn('state', ['pending', 'dead'])
    .update({ state: 'cancelled', last_error: 'erased' });
}
