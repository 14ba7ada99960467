import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';

export interface SchedulingServices {
  /** Undefined without Redis: the worker finds what is due. */
  readonly scheduler: DeliveryScheduler | undefined;
  readonly logger: Logger;
}

/** Queues the jobs of committed deliveries, best effort: the sweep queues whatever is missing. */
export function scheduleInBackground(
  { scheduler, logger }: SchedulingServices,
  deliveries: readonly ScheduledDelivery[],
): void {
  if (deliveries.length === 0 || !scheduler?.isReady()) return;

  scheduler.schedule(deliveries).catch((error: unknown) => {
    logger.warn({ err: error }, 'Jobs could not be queued; the sweep will.');
  });
}
