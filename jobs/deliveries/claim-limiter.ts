import { setTimeout as wait } from 'node:timers/promises';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { JobRateLimit } from '../../shared/node/queues/bullmq.ts';

export type Claim = () => Promise<ClaimedDelivery | undefined>;

/** Runs a claim when the rate limit allows another delivery. An empty claim costs nothing of the limit. */
export type ClaimLimiter = (claim: Claim, signal: AbortSignal) => ReturnType<Claim>;

/** Creates the rate limit of the due-runner for one kind; jobs have BullMQ's, with the same numbers. */
export function createClaimLimiter(limit: JobRateLimit | undefined): ClaimLimiter {
  if (!limit) return (claim) => claim();
  let nextAt = 0;

  return async (claim, signal) => {
    const waitMs = nextAt - performance.now();
    // An aborted wait is the end of the turn.
    if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const startedAt = performance.now();
    const claimed = await claim();
    if (claimed) nextAt = startedAt + limit.duration;

    return claimed;
  };
}
