import { setTimeout as wait } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { Second } from '../../shared/time.ts';
import type { DeliveryServices } from './delivery-handler.ts';

const RETRY_INTERVAL = 1 * Second;

/**
 * Records what became of an attempt, again and again while the lease lasts: without the record the sweep takes the
 * attempt for one of unknown outcome, and what was sent is sent again.
 * @param record ends the lease; false when the lease is another's
 * @param signal ends the repeats; for what the sweep may decide as well
 * @returns false when the lease was another's. After an error the record may be there already, and counts as made.
 * @throws when the database stayed away until the lease's end, or the signal is aborted
 */
export async function recordWhileLeased(
  { logger }: DeliveryServices,
  { id, leaseEndsAt }: ClaimedDelivery,
  record: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<boolean> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return (await record()) || isRepeated;
    } catch (error) {
      if (performance.now() > leaseEndsAt || signal?.aborted) throw error;
      logger.warn({ err: error, deliveryId: id }, 'What became of a delivery is not recorded yet.');
      await wait(RETRY_INTERVAL);
    }
  }
}
