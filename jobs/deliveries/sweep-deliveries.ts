import { setTimeout as wait } from 'node:timers/promises';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import {
  listPendingDeliveries,
  readOldestOverdueMs,
  releaseExpiredLeases,
  sweepUnwanted,
  expireStuckWaits,
} from '../../shared/node/deliveries/sweep-queries.ts';
import { withTimeout } from '../../shared/node/process/with-timeout.ts';
import { MAX_LOST_RESPONSES } from './process-delivery.ts';
import { runAllDue, type DueServices } from './run-due.ts';

export const SWEEP_LOCK = 0x73776565;

/** A delivery is dead after this many expired leases. */
const MAX_LEASE_EXPIRIES = 10;

export interface SweepServices extends DueServices {
  /** Undefined without Redis, where the due-runner processes all deliveries. */
  readonly scheduler: DeliveryScheduler | undefined;
  readonly planners: ReadonlyArray<() => Promise<void>>;
}

/** Resets due times set by a clock that was ahead. Such deliveries are not overdue, so no alert covers them. */
async function repairTimes({ database, timings, logger }: SweepServices): Promise<void> {
  const deliveries = await expireStuckWaits(database, timings.lease);
  if (deliveries > 0) logger.warn({ deliveries }, 'Deliveries had times in the future, set by a wrong clock. They are due again.');
}

async function releaseLeases({ database, logger, metrics }: SweepServices): Promise<void> {
  const { returned, dead } = await releaseExpiredLeases(database, {
    maxExpiries: MAX_LEASE_EXPIRIES,
    maxLostResponses: MAX_LOST_RESPONSES,
  });
  metrics.countRepairs('lease_freed', returned);
  metrics.countRepairs('lease_dead', dead.length);
  if (returned > 0) logger.warn({ returned }, 'Deliveries whose lease expired are pending again.');
  if (dead.length > 0) {
    logger.error(
      { deliveryIds: dead, alert: 'delivery-dead' },
      'Deliveries are dead. Each had ten expired leases, or two after its mail was handed over.',
    );
  }
}

async function scheduleMissing(
  { logger, metrics }: SweepServices,
  scheduler: DeliveryScheduler,
  page: readonly ScheduledDelivery[],
): Promise<void> {
  const missing = await scheduler.findUnscheduled(page);
  await scheduler.schedule(missing);
  metrics.countRepairs('job_requeued', missing.length);
  if (missing.length > 0) logger.info({ jobs: missing.length }, 'Missing jobs were queued.');
}

/** Adds missing jobs. Returns false if the queue is unreachable, full or broken. */
async function repairQueue(services: SweepServices, scheduler: DeliveryScheduler): Promise<boolean> {
  if (!scheduler.isReady()) return false;

  for await (const page of listPendingDeliveries(services.database)) {
    try {
      await scheduleMissing(services, scheduler, page);
    } catch (error) {
      services.logger.error({ err: error, alert: 'queue-out-of-order' }, 'Jobs could not be queued.');

      return false;
    }
  }

  return true;
}

/** Creates a function that repairs the queue: it adds missing jobs and processes deliveries the queue has missed. */
function makeQueueRepair(services: SweepServices, scheduler: DeliveryScheduler) {
  const { timings } = services;
  let running: Promise<boolean> | undefined;

  return async (signal: AbortSignal) => {
    // A repair that takes longer than `queueCheck` continues in the background and isn't started twice.
    running ??= repairQueue(services, scheduler).finally(() => {
      running = undefined;
    });
    const isQueueRepaired = await Promise.race([running, wait(timings.queueCheck, false, { ref: false })]);
    await runAllDue(
      services,
      // One at a time, because the connection pool is small and the queue uses it too.
      { readyForMs: isQueueRepaired ? timings.directAfter : 0, concurrency: 1 },
      AbortSignal.any([signal, AbortSignal.timeout(timings.sweep)]),
    );
  };
}

function makeOverdueAlert({ database, logger, timings }: SweepServices): () => Promise<void> {
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
 * Creates the sweep. It repairs times, leases, unwanted deliveries and missing jobs. Only one worker sweeps at a time.
 * @returns a function that sweeps once, until its signal is aborted
 */
export function makeSweep(services: SweepServices): (signal: AbortSignal) => Promise<void> {
  const { timings, scheduler } = services;
  const alertWhenOverdue = makeOverdueAlert(services);
  const repairQueueAndRun = scheduler && makeQueueRepair(services, scheduler);
  const sweep = async (signal: AbortSignal) => {
    await repairTimes(services);
    await releaseLeases(services);
    await sweepUnwanted(services.database);
    for (const plan of services.planners) await plan();
    await repairQueueAndRun?.(signal);
  };
  // Allows for a delivery that is claimed at the end of the sweep.
  const maxMs = timings.queueCheck + timings.sweep + timings.lease;

  return async (signal) => {
    let hasSwept = false;
    try {
      hasSwept = await tryWithAdvisoryLock(services.database, SWEEP_LOCK, (lockLost) =>
        withTimeout(() => sweep(AbortSignal.any([signal, lockLost])), maxMs),
      );
    } catch (error) {
      // If sweeps fail, deliveries become overdue. The sweep's error is thrown even if the alert fails.
      await Promise.allSettled([alertWhenOverdue()]);
      throw error;
    }
    await alertWhenOverdue();
    // Only the worker that ran the sweep records it.
    if (hasSwept) services.metrics.recordSweep();
  };
}
