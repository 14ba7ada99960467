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

/** Minimum wait for a job that runs too early, or whose delivery is leased by another worker. */
const MIN_WAIT = 1 * Second;

/** Grace period after the abort signal, in milliseconds. A handler uses it to report partial progress. */
const GRACE = 0.5 * Second;

export const makeLease = ({ lease }: Timings): Lease => ({ token: randomUUID(), ms: lease });

/** Runs the handler. If it exceeds the time limit for an attempt, it is aborted and fails. */
async function runHandler(
  { database, handlers, timings }: DeliveryServices,
  delivery: ClaimedDelivery,
): Promise<SentDelivery> {
  const stop = new AbortController();
  // `AbortSignal.timeout` can't be cleared, so thousands of timers would pile up.
  const timer = setTimeout(
    () => stop.abort(new DOMException('The attempt took too long.', 'TimeoutError')),
    timings.attempt,
  );

  try {
    return await withTimeout(
      () => handlers[delivery.kind](delivery, stop.signal),
      timings.attempt + GRACE,
    );
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    // The handler didn't report, so ask the database. If that fails too, assume that the mail was handed over.
    const isAmbiguous = await wasHandedOver(database, delivery).catch(() => true);
    throw new DeliveryError('retry', 'timed-out', { cause: error, isAmbiguous });
  } finally {
    clearTimeout(timer);
  }
}

const RETRY_INTERVAL = 1 * Second;

/** `unknown`: recording the outcome failed because the connection was lost, and the lease ended before the retry. */
type RecordResult = 'recorded' | 'lease-lost' | 'unknown';

/**
 * Records an outcome, and retries until the lease ends. Without the record a sent delivery would be sent again.
 * @param signal ends the retries. Pass it only for failures, because the sweep can handle those too
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

/** Minimum number of attempts, for deliveries that are long overdue when the worker starts. */
const MIN_ATTEMPTS = 10;

/** A mail is dead after this many hand-overs with an unknown outcome, because it may have arrived twice. */
export const MAX_LOST_RESPONSES = 2;

interface Outcome {
  readonly result: DeliveryResult;
  readonly job: JobResult;
}

/** Returns how long the whole kind is paused, in milliseconds, or undefined if it isn't. */
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
  const isTooLate = overdueMs > timings.deadAfter && attempts >= MIN_ATTEMPTS;

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
  } else logger.warn(details, 'A kind of delivery is paused because the receiver asked for it.');
}

/** Records a failed attempt. Pauses the kind if the failure affects all its deliveries. */
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
      : // A pause is recorded separately, because it ends once the settings are fixed.
        rescheduleDelivery(database, delivery, { ...failed, delayMs: backOffMs, isCounted });
  const recorded = await recordWhileLeased(services, delivery, record, services.shutdown);
  if (state === 'cancelled' || isUnwanted) {
    logger.info(details, state ? 'A delivery is cancelled.' : 'A delivery was stopped before it was handed over.');

    return { result: 'cancelled', job: undefined };
  }
  if (recorded === 'lease-lost') {
    // Another worker may have sent it meanwhile.
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
  logger.warn({ ...details, delayMs }, 'A delivery failed and will be retried.');

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

/** Attempts a delivery that this worker has leased, and records the outcome. */
export async function processClaimed(services: DeliveryServices, delivery: ClaimedDelivery): Promise<JobResult> {
  const startedAt = performance.now();
  const { result, job } = await runHandler(services, delivery).then(
    (sent) => recordSent(services, delivery, sent),
    (error: unknown) => recordFailure(services, delivery, toDeliveryError(error)),
  );
  services.metrics.observeDelivery(delivery.kind, result, (performance.now() - startedAt) / Second);

  return job;
}

/** Claims and sends a job's delivery. Safe to repeat and to run in several workers. */
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
