import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { deliveryJobSchema, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { Database } from '../../shared/node/database.ts';
import {
  claimDelivery,
  endDelivery,
  markDeliverySent,
  postponeDelivery,
  type ClaimedDelivery,
} from '../../shared/node/deliveries/delivery-store.ts';
import type { Logger } from '../../shared/node/logger.ts';
import type { JobResult } from '../../shared/node/queues/job-queue.ts';
import { Second } from '../../shared/time.ts';
import type { Timings } from '../timings.ts';
import { computeBackOff } from './compute-back-off.ts';
import { DeliveryError, toDeliveryError } from './delivery-error.ts';

/**
 * Does what a delivery stands for, with what it is about as it is now; resolves to the other side's
 * name for it, if it has one.
 * @throws DeliveryError, also to call the delivery off
 */
export type Effect = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<string | null>;

export interface DeliveryServices {
  readonly database: Database;
  readonly effects: Readonly<Record<DeliveryKind, Effect>>;
  readonly timings: Timings;
  readonly logger: Logger;
}

/** So many tries are made even for a delivery that was overdue when the stack came back. */
const MIN_ATTEMPTS = 10;

/** A job that comes too early or meets another worker's lease waits at least this long. */
const MIN_WAIT = 1 * Second;

/** Runs the effect within its time; one that takes longer is told to stop and counts as failed. */
function performInTime({ effects, timings }: DeliveryServices, delivery: ClaimedDelivery) {
  const timeout = AbortSignal.timeout(timings.effect);

  return Promise.race([
    effects[delivery.kind](delivery, timeout),
    new Promise<never>((_resolve, reject) => {
      timeout.addEventListener('abort', () => reject(new DeliveryError('retry', 'timed-out')), {
        once: true,
      });
    }),
  ]);
}

async function recordFailure(
  services: DeliveryServices,
  delivery: ClaimedDelivery,
  error: DeliveryError,
): Promise<JobResult> {
  const { database, timings, logger } = services;
  const details = {
    deliveryId: delivery.id,
    kind: delivery.kind,
    stage: delivery.stage,
    attempts: delivery.attempts,
    reason: error.reason,
  };
  const isTooLate =
    delivery.overdueMs > timings.giveUpAfter && delivery.attempts >= MIN_ATTEMPTS;

  if (error.verdict === 'retry' && !isTooLate) {
    const delayMs = computeBackOff(delivery.attempts, timings.backOff);
    await postponeDelivery(database, delivery, { delayMs, error: error.reason });
    logger.warn({ ...details, err: error.cause, delayMs }, 'A delivery failed and is tried again.');

    return { runAgainInMs: delayMs };
  }

  const state = error.verdict === 'cancelled' ? 'cancelled' : 'dead';
  await endDelivery(database, delivery, { state, error: error.reason });
  if (state === 'cancelled') logger.info(details, 'A delivery was called off.');
  else logger.error({ ...details, err: error.cause, alert: 'delivery-dead' }, 'A delivery is dead.');

  return undefined;
}

/**
 * Notes what has happened, trying again while the lease lasts: giving up would repeat it.
 * @throws when the database stayed away until the lease's end
 */
async function recordSent(
  { database, timings, logger }: DeliveryServices,
  delivery: ClaimedDelivery,
  remoteRef: string | null,
): Promise<boolean> {
  const lastTryAt = performance.now() + timings.lease - timings.effect;

  for (;;) {
    try {
      return await markDeliverySent(database, delivery, remoteRef);
    } catch (error) {
      if (performance.now() > lastTryAt) throw error;
      logger.warn({ err: error, deliveryId: delivery.id }, 'A done delivery is not recorded yet.');
      await wait(MIN_WAIT);
    }
  }
}

async function carryOut(services: DeliveryServices, delivery: ClaimedDelivery): Promise<JobResult> {
  let remoteRef: string | null;
  try {
    remoteRef = await performInTime(services, delivery);
  } catch (error) {
    return recordFailure(services, delivery, toDeliveryError(error));
  }

  const isRecorded = await recordSent(services, delivery, remoteRef);
  const details = { deliveryId: delivery.id, kind: delivery.kind, stage: delivery.stage };
  if (isRecorded) services.logger.info(details, 'A delivery is done.');
  else services.logger.error(details, 'A delivery was done after its lease had ended.');

  return undefined;
}

/**
 * Handles one job: claims the delivery it names and carries it out. Safe to run any number of
 * times and at the same time in several workers.
 * @throws when the database can't be asked; the job is then tried again
 */
export async function runDelivery(services: DeliveryServices, data: unknown): Promise<JobResult> {
  const job = v.safeParse(deliveryJobSchema, data);
  if (!job.success) {
    services.logger.error('A job without a delivery id was dropped.');

    return undefined;
  }

  const claim = await claimDelivery(services.database, job.output.deliveryId, {
    token: randomUUID(),
    ms: services.timings.lease,
  });
  if (claim.outcome === 'finished') return undefined;
  if (claim.outcome === 'wait') return { runAgainInMs: Math.max(MIN_WAIT, claim.waitMs) };

  return carryOut(services, claim.delivery);
}
