import { createWorkerMetrics } from '../../shared/node/monitoring/site-metrics.ts';

export { processDelivery as runJob } from '../../jobs/deliveries/process-delivery.ts';

/** What a worker reports to and is ended by, for a test that looks at neither and doesn't end it. */
export const unobserved = {
  metrics: createWorkerMetrics(),
  shutdown: new AbortController().signal,
};
