import { setTimeout as wait } from 'node:timers/promises';
import { deliveryKinds, type DeliveryKind, type ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import {
  listPendingDeliveries,
  readOldestOverdueMs,
  releaseExpiredLeases,
  runAsOnlySweeper,
} from '../../shared/node/deliveries/delivery-upkeep.ts';
import type { SweepMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import { MAX_LOST_ANSWERS, runDelivery, type DeliveryServices } from './run-delivery.ts';

/** So many tries of one delivery may end without a word before it is given up. */
const MAX_LEASE_EXPIRIES = 10;

export interface SweepServices extends DeliveryServices {
  readonly scheduler: DeliveryScheduler;
  readonly sweepMetrics?: SweepMetrics;
}

async function freeLeases({ database, logger, sweepMetrics }: SweepServices): Promise<void> {
  const { freed, dead } = await releaseExpiredLeases(database, {
    maxExpiries: MAX_LEASE_EXPIRIES,
    maxLostAnswers: MAX_LOST_ANSWERS,
  });
  sweepMetrics?.countRepairs('lease_freed', freed);
  sweepMetrics?.countRepairs('lease_dead', dead.length);
  if (freed > 0) logger.warn({ freed }, 'Deliveries of silent workers are free again.');
  if (dead.length > 0) {
    logger.error(
      { deliveryIds: dead, alert: 'delivery-dead' },
      'Deliveries are dead: over each ten tries ended without a word, or two with the mail handed over.',
    );
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

/** Does here and now what is due of one kind, at its pace, until the time is up. */
async function runDue(
  services: SweepServices,
  kind: DeliveryKind,
  signal: AbortSignal,
): Promise<void> {
  for await (const page of listPendingDeliveries(services.database, kind)) {
    for (const { id } of page.filter(({ delayMs }) => delayMs === 0)) {
      if (signal.aborted) return;
      await runDelivery(services, { deliveryId: id });
      await wait(services.timings.pace);
    }
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
