import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { deliveryJobSchema, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { computeBackoff, type Timings } from '../../shared/node/config/timings.ts';
import {
  claimDelivery,
  readWaitMs,
  type ClaimedDelivery,
  type Lease,
} from '../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError, toDeliveryError } from '../../shared/node/outbound/delivery-error.ts';
import {
  markDeliverySent,
  wasHandedOver,
  type SentDelivery,
} from '../../shared/node/deliveries/leased-delivery.ts';
import type { DeliveryResult } from '../../shared/node/monitoring/site-metrics.ts';
import { TimeoutError, withTimeout } from '../../shared/node/process/with-timeout.ts';
import type { JobResult } from '../../shared/node/queues/bullmq.ts';
import { Second } from '../../shared/time.ts';
import type { Claim } from './claim-limiter.ts';
import type { DeliveryServices } from './delivery-handler.ts';
import { recordFailure } from './record-failure.ts';
import { recordWhileLeased } from './record-while-leased.ts';

/**
 * Deliveries of each kind that one worker processes at a time. An export may hold a connection to PostgreSQL for its
 * lock as long as the CRM takes; the mails need one as well (`poolSizes`).
 */
export const concurrencyByKind = {
  'follow-up': 5,
  'crm-export': 3,
  newsletter: 5,
  acknowledgment: 5,
  chat: 5,
  outcome: 5,
} as const satisfies Readonly<Record<DeliveryKind, number>>;

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

const UNRECORDED_MESSAGES = {
  'lease-lost': 'A delivery was sent after its lease had expired.',
  unknown: 'A delivery was sent. The connection was lost while this was recorded, so another worker may send it again.',
};

/**
 * Makes an attempt at a delivery that this worker leases, and records what became of it.
 * @throws when the database can't be asked
 */
export async function processClaimed(services: DeliveryServices, delivery: ClaimedDelivery): Promise<JobResult> {
  const startedAt = performance.now();
  const measure = (result: DeliveryResult) => {
    const seconds = (performance.now() - startedAt) / Second;
    services.metrics.observeDelivery(delivery.kind, result, seconds);
  };
  let sent: SentDelivery;
  try {
    sent = await runHandler(services, delivery);
  } catch (thrown) {
    const failure = await recordFailure(services, delivery, toDeliveryError(thrown));
    measure(failure.result);

    return failure.job;
  }

  const { database, timings } = services;
  const retryMs = computeBackoff(1, timings.backOff[delivery.kind]);
  const result = await recordWhileLeased(services, delivery, () =>
    markDeliverySent(database, delivery, sent, retryMs),
  );
  measure('sent');
  const details = {
    deliveryId: delivery.id,
    submissionId: delivery.submissionId,
    kind: delivery.kind,
    stage: delivery.stage,
    ...(sent.deferred.length > 0 && { deferred: sent.deferred.length }),
  };
  if (result === 'recorded') services.logger.info(details, 'A delivery is sent.');
  else services.logger.error(details, UNRECORDED_MESSAGES[result]);

  return undefined;
}

/**
 * Processes one job: claims the delivery it names and sends it. Safe to run any number of times and at
 * the same time in several workers.
 * @param limit runs the claim when the rate limit allows it
 * @throws when the database can't be asked; the job is then retried
 */
export async function processDelivery(
  services: DeliveryServices,
  data: unknown,
  limit: (claim: Claim) => ReturnType<Claim>,
): Promise<JobResult> {
  const { database, timings, logger } = services;
  const job = v.safeParse(deliveryJobSchema, data);
  if (!job.success) {
    logger.error('A job without a delivery id was dropped.');

    return undefined;
  }

  const { deliveryId } = job.output;
  const claimed = await limit(() => claimDelivery(database, deliveryId, makeLease(timings)));
  if (claimed) return processClaimed(services, claimed);
  const waitMs = await readWaitMs(database, deliveryId);

  return waitMs === undefined ? undefined : { retryInMs: Math.max(MIN_WAIT, waitMs) };
}
