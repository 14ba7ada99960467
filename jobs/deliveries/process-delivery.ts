import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { deliveryJobSchema, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { Database } from '../../shared/node/database/database.ts';
import {
  claimDelivery,
  endDelivery,
  markDeliverySent,
  rescheduleDelivery,
  type ClaimedDelivery,
  type SentDelivery,
} from '../../shared/node/deliveries/delivery-store.ts';
import { pauseQueue, type NewPause } from '../../shared/node/deliveries/delivery-pauses.ts';
import { wasHandedOver } from '../../shared/node/deliveries/hand-over.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import type { DeliveryMetrics, DeliveryResult } from '../../shared/node/monitoring/site-metrics.ts';
import type { JobResult } from '../../shared/node/queues/job-queue.ts';
import { Second } from '../../shared/time.ts';
import type { Timings } from '../../shared/node/config/timings.ts';
import { computeBackoff } from '../../shared/node/deliveries/compute-backoff.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/deliveries/delivery-error.ts';

/**
 * Does what a delivery stands for, with what it is about as it is now.
 * @throws DeliveryError, also to call the delivery off
 */
export type DeliveryHandler = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<SentDelivery>;

export interface DeliveryServices {
  readonly database: Database;
  readonly effects: Readonly<Record<DeliveryKind, DeliveryHandler>>;
  readonly timings: Timings;
  readonly logger: Logger;
  readonly metrics?: DeliveryMetrics;
}

/** So many tries are made even for a delivery that was overdue when the stack came back. */
const MIN_ATTEMPTS = 10;

/**
 * Hand-overs of one mail whose outcome nobody knows, after which it is given up: it may have come
 * twice by then, and another try would make it more.
 */
export const MAX_LOST_ANSWERS = 2;

/** A job that comes too early or meets another worker's lease waits at least this long. */
const MIN_WAIT = 1 * Second;

/** An effect that was told to stop may say so long how far it came, in milliseconds. */
const LAST_WORD = 0.5 * Second;

/** Runs the effect within its time; one that takes longer is told to stop and counts as failed. */
async function performInTime(
  { database, effects, timings }: DeliveryServices,
  delivery: ClaimedDelivery,
): Promise<SentDelivery> {
  const stop = new AbortController();
  const tellToStop = () => stop.abort(new DOMException('This takes too long.', 'TimeoutError'));
  // Not `AbortSignal.timeout`: that can't be called off, and thousands would wait for their end.
  const timers = [setTimeout(tellToStop, timings.effect)];
  const givenUp = new Promise<'given-up'>((resolve) => {
    timers.push(setTimeout(resolve, timings.effect + LAST_WORD, 'given-up'));
  });

  try {
    const result = await Promise.race([effects[delivery.kind](delivery, stop.signal), givenUp]);
    if (result !== 'given-up') return result;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
  // It said nothing, so its record has to.
  throw new DeliveryError('retry', 'timed-out', {
    isAmbiguous: await wasHandedOver(database, delivery),
  });
}

/** Time all of the kind must wait: as long as the other side says, or until the settings are mended. */
function getKindWait({ timings }: DeliveryServices, error: DeliveryError): number | undefined {
  return error.kindWaitsMs ?? (error.verdict === 'paused' ? timings.pause : undefined);
}

/** The state of a delivery that isn't tried again; undefined for one that is. */
function findEndState(
  { timings }: DeliveryServices,
  { overdueMs, attempts, lostAnswers }: ClaimedDelivery,
  { verdict, isAmbiguous }: DeliveryError,
): 'dead' | 'cancelled' | undefined {
  if (verdict === 'paused') return undefined;
  if (verdict !== 'retry') return verdict;
  const isTooLate = overdueMs > timings.giveUpAfter && attempts >= MIN_ATTEMPTS;

  return isTooLate || (isAmbiguous && lostAnswers + 1 >= MAX_LOST_ANSWERS) ? 'dead' : undefined;
}

async function holdBackKind(
  { database, logger }: DeliveryServices,
  kind: DeliveryKind,
  pause: NewPause,
): Promise<void> {
  const isNew = await pauseQueue(database, kind, pause);
  if (!isNew) return;

  const details = { kind, reason: pause.reason, pauseMs: pause.ms };
  if (pause.endsWithRestart) {
    logger.error({ ...details, alert: 'kind-paused' }, 'A kind of delivery is held back.');
  } else logger.warn(details, 'A kind of delivery waits as its other side asks.');
}

/** What became of a delivery that failed, and when its job runs again. */
interface Failure {
  readonly result: DeliveryResult;
  readonly job: JobResult;
}

async function recordFailure(
  services: DeliveryServices,
  delivery: ClaimedDelivery,
  error: DeliveryError,
): Promise<Failure> {
  const { database, timings, logger } = services;
  const { kind, stage, attempts } = delivery;
  const { reason, isAmbiguous } = error;
  const details = { deliveryId: delivery.id, kind, stage, attempts, reason, err: error.cause };

  const state = findEndState(services, delivery, error);
  if (state) {
    await endDelivery(database, delivery, { state, error: reason, isAmbiguous });
    if (state === 'cancelled') logger.info(details, 'A delivery was called off.');
    else logger.error({ ...details, alert: 'delivery-dead' }, 'A delivery is dead.');

    return { result: state, job: undefined };
  }

  const isCounted = error.verdict !== 'paused';
  const kindWaitMs = getKindWait(services, error);
  if (kindWaitMs !== undefined) {
    await holdBackKind(services, kind, { ms: kindWaitMs, reason, endsWithRestart: !isCounted });
  }
  const backOffMs = Math.max(computeBackoff(attempts, timings.backOff[kind]), error.waitsMs ?? 0);
  // Not the kind's wait: that has its own record, which ends earlier once the settings are mended.
  const postponement = { delayMs: backOffMs, error: reason, isCounted, isAmbiguous };
  await rescheduleDelivery(database, delivery, postponement);
  const delayMs = Math.max(backOffMs, kindWaitMs ?? 0);
  logger.warn({ ...details, delayMs }, 'A delivery failed and is tried again.');

  return { result: isCounted ? 'retry' : 'paused', job: { retryInMs: delayMs } };
}

/**
 * Notes what has happened, trying again while the lease lasts: giving up would repeat it.
 * @throws when the database stayed away until the lease's end
 */
async function recordSent(
  { database, timings, logger }: DeliveryServices,
  delivery: ClaimedDelivery,
  sent: SentDelivery,
): Promise<boolean> {
  const lastTryAt = performance.now() + timings.lease - timings.effect;
  const retryMs = computeBackoff(1, timings.backOff[delivery.kind]);

  for (;;) {
    try {
      return await markDeliverySent(database, delivery, sent, retryMs);
    } catch (error) {
      if (performance.now() > lastTryAt) throw error;
      logger.warn({ err: error, deliveryId: delivery.id }, 'A done delivery is not recorded yet.');
      await wait(MIN_WAIT);
    }
  }
}

async function carryOut(services: DeliveryServices, delivery: ClaimedDelivery): Promise<JobResult> {
  const begunAt = performance.now();
  const measure = (result: DeliveryResult) =>
    services.metrics?.observeDelivery(
      delivery.kind,
      result,
      (performance.now() - begunAt) / Second,
    );
  let sent: SentDelivery;
  try {
    sent = await performInTime(services, delivery);
  } catch (thrown) {
    const failure = await recordFailure(services, delivery, toDeliveryError(thrown));
    measure(failure.result);

    return failure.job;
  }

  const isRecorded = await recordSent(services, delivery, sent);
  measure('sent');
  const details = {
    deliveryId: delivery.id,
    kind: delivery.kind,
    stage: delivery.stage,
    ...(sent.deferred.length > 0 && { deferred: sent.deferred.length }),
  };
  if (isRecorded) services.logger.info(details, 'A delivery is done.');
  else services.logger.error(details, 'A delivery was done after its lease had ended.');

  return undefined;
}

/**
 * Handles one job: claims the delivery it names and carries it out. Safe to run any number of
 * times and at the same time in several workers.
 * @throws when the database can't be asked; the job is then tried again
 */
export async function processDelivery(services: DeliveryServices, data: unknown): Promise<JobResult> {
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
  if (claim.outcome === 'wait') return { retryInMs: Math.max(MIN_WAIT, claim.waitMs) };

  return carryOut(services, claim.delivery);
}
