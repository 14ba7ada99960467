import { setTimeout as wait } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { Second } from '../../shared/time.ts';
import type { DeliveryServices } from './delivery-handler.ts';

const RETRY_INTERVAL = 1 * Second;

/** `unknown`: a first try lost its connection, and by the next one the lease was over. */
type RecordResult = 'recorded' | 'lease-lost' | 'unknown';

/**
 * Records the outcome of an attempt, and retries while the lease lasts: without the record the sweep treats the outcome
 * as unknown, and a delivery that was sent is sent again.
 * @param record ends the lease; false when the lease is another worker's
 * @param signal ends the retries, where the sweep may decide as well
 * @throws when the database stayed away until the lease's end, or the signal is aborted
 */
export async function recordWhileLeased(
  { logger }: DeliveryServices,
  { id, leaseEndsAt }: ClaimedDelivery,
  record: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<RecordResult> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      if (await record()) return 'recorded';

      return isRetry ? 'unknown' : 'lease-lost';
    } catch (error) {
      if (performance.now() > leaseEndsAt || signal?.aborted) throw error;
      logger.warn({ err: error, deliveryId: id }, 'The outcome of a delivery is not recorded yet.');
      await wait(RETRY_INTERVAL);
    }
  }
}
