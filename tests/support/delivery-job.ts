import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { makeLease, processClaimed } from '../../jobs/deliveries/process-delivery.ts';
import type { DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { claimNextDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';

export { processDelivery as runJob } from '../../jobs/deliveries/process-delivery.ts';

/** A worker's metrics, log and shutdown signal, for tests that don't check them. */
export const unobserved = {
  metrics: createWorkerMetrics(),
  logger: createLogger({ level: 'silent', process: 'test' }),
  shutdown: new AbortController().signal,
};

/** Processes a kind's due deliveries, one after another. */
export async function runDueOf(services: DeliveryServices, kind: DeliveryKind): Promise<void> {
  const claim = () => claimNextDelivery(services.database, kind, 0, makeLease(services.timings));
  for (let delivery = await claim(); delivery; delivery = await claim()) await processClaimed(services, delivery);
}
