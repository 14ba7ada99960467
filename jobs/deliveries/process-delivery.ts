import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import { atMostOnceKinds, deliveryJobSchema, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { computeBackoff, type Timings } from '../../shared/node/config/timings.ts';
import {
  claimDelivery,
  readWaitMs,
  type ClaimedDelivery,
  type Lease,
} from '../../shared/node/deliveries/claim-delivery.ts';
import { pauseKind, type NewPause } from '../../shared/node/deliveries/delivery-pauses.ts';
import {
  markDeliveryFailed,
  markDeliverySent,
  rescheduleDelivery,
  wasHandedOver,
  type SentDelivery,
} from '../../shared/node/deliveries/leased-delivery.ts';
import type { DeliveryResult } from '../../shared/node/monitoring/site-metrics.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { TimeoutError, withTimeout } from '../../shared/node/process/with-timeout.ts';
import type { JobResult } from '../../shared/node/queues/bullmq.ts';
import { Second } from '../../shared/time.ts';
import type { DeliveryServices } from './delivery-handler.ts';

/** A job that comes too early or meets another worker's lease waits at least this long. */
const MIN_WAIT = 1 * Second;

/** A handler whose signal was aborted has so long to throw how far it came, in milliseconds. */
const GRACE = 0.5 * Second;

export const makeLease = ({ lease }: Timings): Lease => ({ token: randomUUID(), ms: lease });

/** Runs the handler; one that takes longer than an attempt may is aborted and counts as failed. */
async function runHandler(
  { database, handlers, timings }: DeliveryServices,
  delivery: ClaimedDelivery,
): Promise<SentDelivery> {
  const stop = new AbortController();
  // Not `AbortSignal.timeout`: that can't be cleared, and thousands would wait for their end.
  const timer = setTimeout(
    () => stop.abort(new DOMException('This takes too long.', 'TimeoutError')),
    timings.attempt,
  );

  try {
    return await withTimeout(
      () => handlers[delivery.kind](delivery, stop.signal),
      timings.attempt + GRACE,
    );
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    // The handler said nothing, so its record has to; where that can't be read, its mail may have come.
    const isAmbiguous = await wasHandedOver(database, delivery).catch(() => true);
    throw new DeliveryError('retry', 'timed-out', { cause: error, isAmbiguous });
  } finally {
    clearTimeout(timer);
  }
}

const RETRY_INTERVAL = 1 * Second;

/** `unknown`: a first try lost its connection, and by the next one the lease was over. */
type RecordResult = 'recorded' | 'lease-lost' | 'unknown';

/**
 * Records an outcome, retrying while the lease lasts: without the record, what was sent would be sent again.
 * @param signal ends the retries, where the sweep may decide as well
 */
async function recordWhileLeased(
  { logger }: DeliveryServices,
  { id, leaseEndsAt }: ClaimedDelivery,
  record: () => Promise<boolean>,
  signal?: AbortSignal,
): Promise<RecordResult> {
  for (let isRetry = false; ; isRetry = true) {
    try {
      if (await record()) return 'recorded';

      return isRetry ? 'unknown' : 'lease-lost';
    } catch (error) {
      if (performance.now() > leaseEndsAt || signal?.aborted) throw error;
      logger.warn({ err: error, deliveryId: id }, 'The outcome of a delivery is not recorded yet.');
      await wait(RETRY_INTERVAL);
    }
  }
}

/** So many attempts are made even for a delivery that was overdue when the stack came back. */
const MIN_ATTEMPTS = 10;

/** Unknown outcomes of one mail until it is dead: it may have arrived twice by then. */
export const MAX_LOST_RESPONSES = 2;

interface Outcome {
  readonly result: DeliveryResult;
  readonly job: JobResult;
}

/** Time the whole kind is paused: as long as the other side asks, or until the settings are fixed. */
function getPauseMs({ timings }: DeliveryServices, error: DeliveryError): number | undefined {
  return error.kindWaitsMs ?? (error.result === 'paused' ? timings.pause : undefined);
}

function findFinalState(
  { timings }: DeliveryServices,
  { kind, overdueMs, attempts, lostResponses }: ClaimedDelivery,
  { result, isAmbiguous }: DeliveryError,
): 'dead' | 'cancelled' | undefined {
  if (result === 'paused' || result === 'unwanted') return undefined;
  if (result !== 'retry') return result;
  if (isAmbiguous && atMostOnceKinds.includes(kind)) return 'cancelled';
  const isTooLate = overdueMs > timings.giveUpAfter && attempts >= MIN_ATTEMPTS;

  return isTooLate || (isAmbiguous && lostResponses + 1 >= MAX_LOST_RESPONSES) ? 'dead' : undefined;
}

async function recordPause(
  { database, logger }: DeliveryServices,
  kind: DeliveryKind,
  pause: NewPause,
): Promise<void> {
  const isNew = await pauseKind(database, kind, pause);
  if (!isNew) return;

  const details = { kind, reason: pause.reason, pauseMs: pause.ms };
  if (pause.endsWithRestart) {
    logger.error({ ...details, alert: 'kind-paused' }, 'A kind of delivery is paused.');
  } else logger.warn(details, 'A kind of delivery is paused as its other side asks.');
}

/** Records a failed attempt, and pauses the kind if the failure concerns all of it. */
async function recordFailure(
  services: DeliveryServices,
  delivery: ClaimedDelivery,
  error: DeliveryError,
): Promise<Outcome> {
  const { database, timings, logger } = services;
  const { id: deliveryId, submissionId, kind, stage, attempts } = delivery;
  const { reason, isAmbiguous } = error;
  const details = { deliveryId, submissionId, kind, stage, attempts, reason, err: error.cause };

  const isUnwanted = error.result === 'unwanted';
  const isCounted = error.result !== 'paused' && !isUnwanted;
  const backOffMs = isUnwanted ? 0 : Math.max(computeBackoff(attempts, timings.backOff[kind]), error.waitsMs ?? 0);
  const failed = { error: reason, isAmbiguous };
  const state = findFinalState(services, delivery, error);
  const record = () =>
    state
      ? markDeliveryFailed(database, delivery, { ...failed, state })
      : // Not the pause: that has a record of its own, which ends earlier once the settings are fixed.
        rescheduleDelivery(database, delivery, { ...failed, delayMs: backOffMs, isCounted });
  const recorded = await recordWhileLeased(services, delivery, record, services.shutdown);
  if (state === 'cancelled' || isUnwanted) {
    logger.info(details, state ? 'A delivery is cancelled.' : 'A delivery was stopped before it was handed over.');

    return { result: 'cancelled', job: undefined };
  }
  if (recorded === 'lease-lost') {
    // Another worker may have sent it.
    logger.warn(details, 'A delivery failed after its lease had ended.');

    return { result: 'retry', job: { retryInMs: backOffMs } };
  }
  if (state === 'dead') {
    logger.error({ ...details, alert: 'delivery-dead' }, 'A delivery is dead.');

    return { result: state, job: undefined };
  }

  const pauseMs = getPauseMs(services, error);
  if (pauseMs !== undefined) {
    await recordPause(services, kind, { ms: pauseMs, reason, endsWithRestart: !isCounted });
  }
  const delayMs = Math.max(backOffMs, pauseMs ?? 0);
  logger.warn({ ...details, delayMs }, 'A delivery failed and is retried.');

  return { result: isCounted ? 'retry' : 'paused', job: { retryInMs: delayMs } };
}

const UNRECORDED_MESSAGES = {
  'lease-lost': 'A delivery was sent after its lease had expired.',
  unknown: 'A delivery was sent. The connection was lost while this was recorded, so another worker may send it again.',
};

async function recordSent(
  services: DeliveryServices,
  delivery: ClaimedDelivery,
  sent: SentDelivery,
): Promise<Outcome> {
  const { database, timings, logger } = services;
  const { id: deliveryId, submissionId, kind, stage } = delivery;
  const retryMs = computeBackoff(1, timings.backOff[kind]);
  const recorded = await recordWhileLeased(services, delivery, () =>
    markDeliverySent(database, delivery, sent, retryMs),
  );
  const deferred = sent.deferred.length;
  const details = { deliveryId, submissionId, kind, stage, ...(deferred > 0 && { deferred }) };
  if (recorded === 'recorded') logger.info(details, 'A delivery is sent.');
  else logger.error(details, UNRECORDED_MESSAGES[recorded]);

  return { result: 'sent', job: undefined };
}

/** Makes an attempt at a delivery that this worker leases, and records its outcome. */
export async function processClaimed(services: DeliveryServices, delivery: ClaimedDelivery): Promise<JobResult> {
  const startedAt = performance.now();
  const { result, job } = await runHandler(services, delivery).then(
    (sent) => recordSent(services, delivery, sent),
    (error: unknown) => recordFailure(services, delivery, toDeliveryError(error)),
  );
  services.metrics.observeDelivery(delivery.kind, result, (performance.now() - startedAt) / Second);

  return job;
}

/** Claims the delivery that a job names and sends it; harmless to repeat and to run in several workers. */
export async function processDelivery(services: DeliveryServices, data: unknown): Promise<JobResult> {
  const { database, timings, logger } = services;
  const job = v.safeParse(deliveryJobSchema, data);
  if (!job.success) {
    logger.error('A job without a delivery id was dropped.');

    return undefined;
  }

  const { deliveryId } = job.output;
  const claimed = await claimDelivery(database, deliveryId, makeLease(timings));
  if (claimed) return processClaimed(services, claimed);
  const waitMs = await readWaitMs(database, deliveryId);

  return waitMs === undefined ? undefined : { retryInMs: Math.max(MIN_WAIT, waitMs) };
}
