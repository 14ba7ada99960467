import { atMostOnceKinds, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { computeBackoff } from '../../shared/node/config/timings.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { DeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import { pauseQueue, type NewPause } from '../../shared/node/deliveries/delivery-pauses.ts';
import { markDeliveryFailed, rescheduleDelivery } from '../../shared/node/deliveries/leased-delivery.ts';
import type { DeliveryResult } from '../../shared/node/monitoring/site-metrics.ts';
import type { JobResult } from '../../shared/node/queues/bullmq.ts';
import type { DeliveryServices } from './delivery-handler.ts';
import { recordWhileLeased } from './record-while-leased.ts';

/** So many attempts are made even for a delivery that was overdue when the stack came back. */
const MIN_ATTEMPTS = 10;

/**
 * Hand-overs of one mail whose outcome is unknown, after which it is dead: it may have come twice by
 * then, and another attempt would make it more.
 */
export const MAX_LOST_RESPONSES = 2;

/** What became of a delivery that failed, and when its job runs again. */
interface Failure {
  readonly result: DeliveryResult;
  readonly job: JobResult;
}

/** Time the whole kind is paused: as long as the other side asks, or until the settings are fixed. */
function getPauseMs({ timings }: DeliveryServices, error: DeliveryError): number | undefined {
  return error.kindWaitsMs ?? (error.result === 'paused' ? timings.pause : undefined);
}

/** The state of a delivery that isn't retried; undefined for one that is. */
function findFinalState(
  { timings }: DeliveryServices,
  { kind, overdueMs, attempts, lostResponses }: ClaimedDelivery,
  { result, isAmbiguous }: DeliveryError,
): 'dead' | 'cancelled' | undefined {
  if (result === 'paused') return undefined;
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
  const isNew = await pauseQueue(database, kind, pause);
  if (!isNew) return;

  const details = { kind, reason: pause.reason, pauseMs: pause.ms };
  if (pause.endsWithRestart) {
    logger.error({ ...details, alert: 'kind-paused' }, 'A kind of delivery is paused.');
  } else logger.warn(details, 'A kind of delivery is paused as its other side asks.');
}

/**
 * Records a failed attempt: the delivery is dead or cancelled, or it is rescheduled, and its kind paused
 * where the failure is one of the whole kind. Of a delivery that isn't this worker's any more it only logs.
 * @throws when the database stayed away until the lease's end, or the worker is to end; or is lost before the pause is
 *   recorded, which the next failure does
 */
export async function recordFailure(
  services: DeliveryServices,
  delivery: ClaimedDelivery,
  error: DeliveryError,
): Promise<Failure> {
  const { database, timings, logger } = services;
  const { id: deliveryId, submissionId, kind, stage, attempts } = delivery;
  const { reason, isAmbiguous } = error;
  const details = { deliveryId, submissionId, kind, stage, attempts, reason, err: error.cause };

  const isCounted = error.result !== 'paused';
  const backOffMs = Math.max(computeBackoff(attempts, timings.backOff[kind]), error.waitsMs ?? 0);
  const failed = { error: reason, isAmbiguous };
  const state = findFinalState(services, delivery, error);
  const record = () =>
    state
      ? markDeliveryFailed(database, delivery, { ...failed, state })
      : // Not the pause: that has a record of its own, which ends earlier once the settings are fixed.
        rescheduleDelivery(database, delivery, { ...failed, delayMs: backOffMs, isCounted });
  const recorded = await recordWhileLeased(services, delivery, record, services.shutdown);
  if (state === 'cancelled') {
    logger.info(details, 'A delivery is cancelled.');

    return { result: state, job: undefined };
  }
  if (recorded === 'lease-lost') {
    // Sales may have settled the request meanwhile, or another worker may have sent it.
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
