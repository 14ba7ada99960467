import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import {
  listPendingDeliveries,
  readOldestOverdueMs,
  releaseExpiredLeases,
  runAsOnlySweeper,
} from '../../shared/node/deliveries/delivery-upkeep.ts';
import { runDelivery, type DeliveryServices } from './run-delivery.ts';

/** So many tries of one delivery may end without a word before it is given up. */
const MAX_LEASE_EXPIRIES = 10;

export interface SweepServices extends DeliveryServices {
  readonly scheduler: DeliveryScheduler;
}

async function freeLeases({ database, logger }: SweepServices): Promise<void> {
  const { freed, dead } = await releaseExpiredLeases(database, MAX_LEASE_EXPIRIES);
  if (freed > 0) logger.warn({ freed }, 'Deliveries of silent workers are free again.');
  if (dead > 0) {
    logger.error({ dead, alert: 'delivery-dead' }, 'Deliveries that ended ten workers are dead.');
  }
}

async function scheduleMissing(
  { scheduler, logger }: SweepServices,
  page: readonly ScheduledDelivery[],
): Promise<void> {
  const missing = await scheduler.findUnscheduled(page);
  await scheduler.schedule(missing);
  if (missing.length > 0) logger.info({ jobs: missing.length }, 'Missing jobs were queued.');
}

/** Does here and now what is due: mails don't need the queue. */
async function runDue(
  services: SweepServices,
  page: readonly ScheduledDelivery[],
  signal: AbortSignal,
): Promise<void> {
  for (const { id } of page.filter(({ delayMs }) => delayMs === 0)) {
    if (signal.aborted) return;
    await runDelivery(services, { deliveryId: id });
  }
}

/** Queues what has no job; once the queue is away, full or out of order, runs what is due. */
async function repairQueue(services: SweepServices, signal: AbortSignal): Promise<void> {
  let hasQueue = services.scheduler.isReady();

  for await (const page of listPendingDeliveries(services.database)) {
    if (hasQueue) {
      try {
        await scheduleMissing(services, page);
      } catch (error) {
        hasQueue = false;
        services.logger.error(
          { err: error, alert: 'queue-out-of-order' },
          'Jobs could not be queued.',
        );
      }
    }
    if (!hasQueue) await runDue(services, page, signal);
  }
}

/** Reports deliveries that are late, once per `alertAfter`. */
function makeLatenessAlert({ database, logger, timings }: SweepServices): () => Promise<void> {
  let nextAlertAt = 0;

  return async () => {
    const overdueMs = await readOldestOverdueMs(database);
    if (overdueMs < timings.alertAfter || performance.now() < nextAlertAt) return;
    nextAlertAt = performance.now() + timings.alertAfter;
    logger.error(
      { overdueMs: Math.round(overdueMs), alert: 'delivery-overdue' },
      'A delivery is overdue.',
    );
  };
}

/**
 * Makes the sweep: frees expired leases, queues what has no job and reports what is late. Of
 * several workers one sweeps at a time.
 * @returns a function that sweeps once, stopping early when it is told to; it throws when the
 *   database can't be asked
 */
export function makeSweep(services: SweepServices): (signal: AbortSignal) => Promise<void> {
  const alertWhenLate = makeLatenessAlert(services);

  return async (signal) => {
    await runAsOnlySweeper(services.database, async () => {
      await freeLeases(services);
      await repairQueue(services, signal);
    });
    await alertWhenLate();
  };
}
