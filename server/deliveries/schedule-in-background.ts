import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';

export interface SchedulingServices {
  /** Undefined without Redis: the worker finds what is due. */
  readonly scheduler: DeliveryScheduler | undefined;
  readonly logger: Logger;
}

/** Queues the jobs of committed deliveries once the response, which is made in this turn of the event loop, is sent. */
export function scheduleInBackground(
  { scheduler, logger }: SchedulingServices,
  deliveries: readonly ScheduledDelivery[],
): void {
  if (deliveries.length === 0 || !scheduler?.isReady()) return;

  setImmediate(() => {
    scheduler.schedule(deliveries).catch((error: unknown) => {
      logger.warn({ err: error }, 'Jobs could not be queued; the sweep will.');
    });
  });
}
