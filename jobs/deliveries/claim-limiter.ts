import { setTimeout as wait } from 'node:timers/promises';
import type { DeliveryKind } from '../../shared/deliveries/delivery.ts';
import type { RateLimits } from '../../shared/node/config/timings.ts';
import type { ClaimedDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import type { JobRateLimit } from '../../shared/node/queues/bullmq.ts';

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

export type Claim = () => Promise<ClaimedDelivery | undefined>;

/**
 * Runs a claim when the rate limit allows another delivery. Undefined when the claim leased nothing, which
 * costs nothing of the limit, or when the signal was aborted before its turn.
 */
export type ClaimLimiter = (claim: Claim, signal: AbortSignal) => ReturnType<Claim>;

/**
 * Creates a rate limit that all claims of this process share, those of jobs and those of the due-runner.
 * BullMQ's own limit is of one queue, over all workers.
 */
function createClaimLimiter(limit: JobRateLimit | undefined): ClaimLimiter {
  if (!limit) return (claim) => claim();
  let nextAt = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();

  return (claim, signal) => {
    const takeTurn = async () => {
      const waitMs = nextAt - performance.now();
      // An aborted wait is the end of the turn.
      if (waitMs > 0) await wait(waitMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      const startedAt = performance.now();
      const claimed = await claim();
      if (claimed) nextAt = startedAt + limit.duration;

      return claimed;
    };
    const turn = lastTurn.then(takeTurn);
    lastTurn = turn.catch(() => undefined);

    return turn;
  };
}

export type ClaimLimiters = Readonly<Record<DeliveryKind, ClaimLimiter>>;

/** The limiters of a worker: one per kind, so that a flood of subscriptions delays no mail to sales. */
export function createClaimLimiters(limits: RateLimits): ClaimLimiters {
  return {
    'follow-up': createClaimLimiter(limits['follow-up']),
    newsletter: createClaimLimiter(limits.newsletter),
    acknowledgment: createClaimLimiter(limits.acknowledgment),
    'crm-export': createClaimLimiter(limits['crm-export']),
    chat: createClaimLimiter(limits.chat),
    outcome: createClaimLimiter(limits.outcome),
  };
}
