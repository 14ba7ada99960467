import type { Database } from '../database/database.ts';
import type { ClaimedDelivery } from './delivery-store.ts';
import { DELIVERIES, type DeliveryRow } from './delivery-table.ts';

/**
 * Notes what one step of a delivery made on the other side, at once, so that a retry doesn't make
 * it again; false when the lease isn't ours any more.
 */
export async function recordRemoteStep(
  database: Database,
  claimed: ClaimedDelivery,
  { step, remoteId }: { readonly step: string; readonly remoteId: string },
): Promise<boolean> {
  const count = await database<DeliveryRow>(DELIVERIES)
    .where({ id: claimed.id, state: 'leased', lease_token: claimed.leaseToken })
    .update({
      remote_steps: database.raw('remote_steps || jsonb_build_object(?::text, ?::text)', [
        step,
        remoteId,
      ]),
    });

  return count === 1;
}

/** Takes back all that `recordRemoteStep` noted: it may be gone on the other side. */
export async function deleteRemoteSteps(
  database: Database,
  claimed: ClaimedDelivery,
): Promise<void> {
  await database<DeliveryRow>(DELIVERIES)
    .where({ id: claimed.id, state: 'leased', lease_token: claimed.leaseToken })
    .update({ remote_steps: {} });
}
