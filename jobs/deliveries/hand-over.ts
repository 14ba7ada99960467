import type { Database } from '../../shared/node/database/database.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/delivery-store.ts';
import { recordHandOver } from '../../shared/node/deliveries/hand-over.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';

/**
 * Makes what a mailer asks just before the end of a delivery's mail; see `SendOptions.beforeEnd`.
 * @param checkWanted throws a DeliveryError that says why the mail isn't wanted any more
 */
export function makeHandOver(
  database: Database,
  delivery: ClaimedDelivery,
  checkWanted: () => Promise<unknown>,
): () => Promise<void> {
  return async () => {
    if (await recordHandOver(database, delivery)) return;
    await checkWanted();
    throw new DeliveryError('retry', 'lease-lost');
  };
}
