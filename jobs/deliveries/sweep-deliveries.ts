import { setTimeout as wait } from 'node:timers/promises';
import { deliveryKinds, type DeliveryKind, type ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import {
  findNextDelivery,
  listPendingDeliveries,
  readOldestOverdueMs,
  releaseExpiredLeases,
  runAsOnlySweeper,
} from '../../shared/node/deliveries/delivery-upkeep.ts';
import type { SweepMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import type { Paces } from '../timings.ts';
import { runDelivery, type DeliveryServices } from './run-delivery.ts';

/** So many tries of one delivery may end without a word before it is given up. */
const MAX_LEASE_EXPIRIES = 10;

export interface SweepServices extends DeliveryServices {
  readonly scheduler: DeliveryScheduler;
  readonly paces: Paces;
  readonly sweepMetrics?: SweepMetrics;
}

async function freeLeases({ database, logger, sweepMetrics }: SweepServices): Promise<void> {
  const { freed, dead } = await releaseExpiredLeases(database, MAX_LEASE_EXPIRIES);
  sweepMetrics?.countRepairs('lease_freed', freed);
  sweepMetrics?.countRepairs('lease_dead', dead);
  if (freed > 0) logger.warn({ freed }, 'Deliveries of silent workers are free again.');
  if (dead > 0) {
    logger.error({ dead, alert: 'delivery-dead' }, 'Deliveries that ended ten workers are dead.');
  }
}

async function scheduleMissing(
  { scheduler, logger, sweepMetrics }: SweepServices,
  page: readonly ScheduledDelivery[],
): Promise<void> {
  const missing = await scheduler.findUnscheduled(page);
  await scheduler.schedule(missing);
  sweepMetrics?.countRepairs('job_requeued', missing.length);
  if (missing.length > 0) logger.info({ jobs: missing.length }, 'Missing jobs were queued.');
}

/** Queues what has no job; false once the queue turns out to be away, full or out of order. */
async function repairQueue(services: SweepServices): Promise<boolean> {
  if (!services.scheduler.isReady()) return false;

  try {
    for await (const page of listPendingDeliveries(services.database)) {
      await scheduleMissing(services, page);
    }

    return true;
  } catch (error) {
    services.logger.error({ err: error, alert: 'queue-out-of-order' }, 'Jobs could not be queued.');

    return false;
  }
}

/**
 * Does here and now what is due of one kind, at its pace, until the time is up. Each time the next is
 * looked for anew: a request that came meanwhile may go before a backlog.
 */
async function runDue(
  services: SweepServices,
  kind: DeliveryKind,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const deliveryId = await findNextDelivery(services.database, kind);
    if (deliveryId === undefined) return;
    await runDelivery(services, { deliveryId });
    await wait(services.paces[kind]);
  }
}

/**
 * Mails and exports don't need the queue. Each kind has its own turn and no longer than until the
 * next sweep, so that a slow CRM holds up no mail.
 */
async function runAllDue(services: SweepServices, signal: AbortSignal): Promise<void> {
  const turn = AbortSignal.any([signal, AbortSignal.timeout(services.timings.sweep)]);

  await Promise.all(deliveryKinds.map((kind) => runDue(services, kind, turn)));
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
      if (!(await repairQueue(services))) await runAllDue(services, signal);
    });
    await alertWhenLate();
    services.sweepMetrics?.noteSweep();
  };
}
