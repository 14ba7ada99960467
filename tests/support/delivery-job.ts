import type { DeliveryServices } from '../../jobs/deliveries/delivery-handler.ts';
import { processDelivery } from '../../jobs/deliveries/process-delivery.ts';
import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';

/** What a worker reports to and is ended by, for a test that looks at neither and doesn't end it. */
export const unobserved = {
  metrics: createWorkerMetrics(),
  shutdown: new AbortController().signal,
};

/** Processes a job without a rate limit. */
export const runJob = (services: DeliveryServices, data: unknown) =>
  processDelivery(services, data, (claim) => claim());
