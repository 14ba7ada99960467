import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';

export interface SchedulingServices {
  /** Undefined without Redis, where the worker finds due deliveries itself. */
  readonly scheduler: DeliveryScheduler | undefined;
  readonly logger: Logger;
}

/** Queues the jobs of committed deliveries after this turn of the event loop, which sends the response. */
export function scheduleInBackground(
  { scheduler, logger }: SchedulingServices,
  deliveries: readonly ScheduledDelivery[],
): void {
  if (deliveries.length === 0 || !scheduler?.isReady()) return;

  setImmediate(() => {
    scheduler.schedule(deliveries).catch((error: unknown) => {
      logger.warn({ err: error }, 'Jobs could not be queued. The sweep will queue them.');
    });
  });
}
