import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryKind, ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { listServedKinds } from '../../shared/node/deliveries/delivery-pauses.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import {
  findNextDelivery,
  listPendingDeliveries,
  readOldestOverdueMs,
  releaseExpiredLeases,
  withSweepLock,
} from '../../shared/node/deliveries/delivery-upkeep.ts';
import { SiteError } from '../../shared/node/logging/describe-error.ts';
import type { SweepMetrics } from '../../shared/node/monitoring/site-metrics.ts';
import type { Paces } from '../../shared/node/config/timings.ts';
import { MAX_LOST_ANSWERS, processDelivery, type DeliveryServices } from './process-delivery.ts';

/** So many tries of one delivery may end without a word before it is given up. */
const MAX_LEASE_EXPIRIES = 10;

export interface SweepServices extends DeliveryServices {
  readonly scheduler: DeliveryScheduler;
  readonly paces: Paces;
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

/** The result of `work`, or of `onTimeout` when it takes longer than `ms`; `work` then goes on. */
async function withTimeout<Result>(
  work: Promise<Result>,
  ms: number,
  onTimeout: () => Result,
): Promise<Result> {
  const stop = new AbortController();
  const timeout = wait(ms, undefined, { signal: stop.signal }).then(onTimeout);

  try {
    return await Promise.race([work, timeout]);
  } finally {
    stop.abort();
  }
}

/**
 * Makes the repair that waits for the queue no longer than `queueCheck`. One that takes longer goes on
 * beside the sweeps and isn't begun again before it ends; until then the queue counts as out of order.
 */
function makeBoundedRepair(services: SweepServices): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;

  return () => {
    running ??= repairQueue(services).finally(() => {
      running = undefined;
    });

    return withTimeout(running, services.timings.queueCheck, () => false);
  };
}

/**
 * Does here and now what has been ready of one kind for so long, at its pace, until the time is up.
 * Each time the next is looked for anew: a request that came meanwhile may go before a backlog.
 */
async function runDue(
  services: SweepServices,
  kind: DeliveryKind,
  readyForMs: number,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const deliveryId = await findNextDelivery(services.database, kind, readyForMs);
    if (deliveryId === undefined) return;
    await processDelivery(services, { deliveryId });
    await wait(services.paces[kind]);
  }
}

/**
 * Mails and exports don't need the queue. Each kind has its own turn and no longer than until the
 * next sweep, so that a slow CRM holds up no mail.
 */
async function runAllDue(
  services: SweepServices,
  readyForMs: number,
  signal: AbortSignal,
): Promise<void> {
  const turn = AbortSignal.any([signal, AbortSignal.timeout(services.timings.sweep)]);
  const kinds = await listServedKinds(services.database);

  await Promise.all(kinds.map((kind) => runDue(services, kind, readyForMs, turn)));
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
 * Makes the sweep: frees expired leases, queues what has no job, carries out what the queue should
 * have long ago, and reports what is late. Of several workers one sweeps at a time; one that hangs
 * loses its turn to the others.
 * @returns a function that sweeps once, stopping early when it is told to; it throws when the
 *   database can't be asked, or when the sweep takes too long
 */
export function makeSweep(services: SweepServices): (signal: AbortSignal) => Promise<void> {
  const { timings } = services;
  const alertWhenLate = makeLatenessAlert(services);
  const repair = makeBoundedRepair(services);
  const sweep = async (signal: AbortSignal) => {
    await freeLeases(services);
    const isQueueInOrder = await repair();
    await runAllDue(services, isQueueInOrder ? timings.directAfter : 0, signal);
  };

  const sweepInTurn = (signal: AbortSignal) =>
    withSweepLock(services.database, () =>
      // A turn, and a delivery begun at its end, fit in.
      withTimeout(sweep(signal), timings.queueCheck + timings.sweep + timings.lease, () => {
        throw new SiteError('A sweep takes too long.');
      }),
    );

  return async (signal) => {
    try {
      await sweepInTurn(signal);
    } catch (error) {
      // Deliveries become late just when sweeps fail. Whatever comes of the report, the sweep's error is thrown.
      await Promise.allSettled([alertWhenLate()]);
      throw error;
    }
    await alertWhenLate();
    services.sweepMetrics?.noteSweep();
  };
}
