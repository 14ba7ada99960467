import { setTimeout as wait } from 'node:timers/promises';
import { type ClaimedDelivery, claimNextDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { JobRateLimit } from '../../shared/node/queues/bullmq.ts';
import { once } from 'node:events';
import { deliveryKinds, kindRules, type DeliveryKind } from '../../shared/deliveries/delivery.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import type { DeliveryServices } from './delivery-handler.ts';
import { makeLease, processClaimed } from './process-delivery.ts';

export type Claim = () => Promise<ClaimedDelivery | undefined>;

/** Runs a claim when the rate limit allows another delivery. Claims that find nothing don't count toward it. */
export type ClaimLimiter = (claim: Claim, signal: AbortSignal) => ReturnType<Claim>;

/** Creates the due-runner's rate limit for one kind. BullMQ applies the same limit to jobs. */
export function createClaimLimiter(limit: JobRateLimit | undefined): ClaimLimiter {
  if (!limit) return (claim) => claim();
  let nextAt = 0;

  return async (claim, signal) => {
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const startedAt = performance.now();
    const claimed = await claim();
    if (claimed) nextAt = startedAt + limit.duration;

    return claimed;
  };
}

const DUE_LOCK = 0x647565;

export interface DueServices extends DeliveryServices {
  /** One limiter per kind, so that many subscriptions don't delay mails to sales. */
  readonly limiters: Readonly<Record<DeliveryKind, ClaimLimiter>>;
}

interface DueOptions {
  /** Only processes deliveries that have been claimable for at least this many milliseconds. */
  readonly readyForMs: number;
  readonly concurrency: number;
}

/** Processes due deliveries of one kind until there are none left or the signal is aborted. */
async function runDue(
  services: DueServices,
  kind: DeliveryKind,
  { readyForMs, concurrency }: DueOptions,
  signal: AbortSignal,
): Promise<void> {
  const { database, limiters, timings } = services;
  const claimNext = () => claimNextDelivery(database, kind, readyForMs, makeLease(timings));
  const running = new Set<Promise<unknown>>();
  const start = (run: Promise<unknown>) => {
    running.add(run);
    // A failed run stays in the set, so that the next wait throws its error.
    run.then(() => running.delete(run)).catch(() => undefined);
  };

  try {
    while (!signal.aborted) {
      if (running.size >= concurrency) {
        await Promise.race(running);
        // The signal may have been aborted meanwhile.
        continue;
      }
      const delivery = await limiters[kind](claimNext, signal);
      if (delivery) start(processClaimed(services, delivery));
      else if (running.size === 0) return;
      else await Promise.race([...running, wait(timings.due)]);
    }
    await Promise.all(running);
  } finally {
    // Wait for running attempts even after an error. Otherwise the next call would exceed the concurrency limit.
    await Promise.allSettled(running);
  }
}

/** Processes due deliveries of all kinds concurrently, so that a slow CRM delays no mail. */
export async function runAllDue(
  services: DueServices,
  options: DueOptions,
  signal: AbortSignal,
): Promise<void> {
  const runs = deliveryKinds.map((kind) => runDue(services, kind, options, signal));
  await Promise.allSettled(runs);
  await Promise.all(runs);
}

/** Creates the due-runner, the queue's stand-in without Redis. Only one worker runs it, so rate limits are global. */
export function makeDueRunner(
  services: DueServices,
  onError: (error: unknown) => void,
): (signal: AbortSignal) => Promise<void> {
  const { database, timings } = services;
  const runKind = (kind: DeliveryKind) =>
    runPeriodically({
      run: (signal) => runDue(services, kind, { readyForMs: 0, concurrency: kindRules[kind].concurrency }, signal),
      intervalMs: timings.due,
      onError,
    });

  return async (signal) => {
    await tryWithAdvisoryLock(database, DUE_LOCK, async (lockLost) => {
      const stops = deliveryKinds.map(runKind);
      const end = AbortSignal.any([signal, lockLost]);
      if (!end.aborted) await once(end, 'abort');
      await Promise.all(stops.map((stop) => stop()));
    });
  };
}
