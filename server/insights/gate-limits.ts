import type { Redis } from '../../shared/node/redis/connections.ts';
import { Minute, Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { getSharedKey } from '../rate-limits/client-key.ts';
import { createClientLimits } from '../rate-limits/client-limits.ts';
import { createRateLimiter, type RateLimitResult } from '../rate-limits/rate-limiter.ts';

/** Attempts a minute: a client and a network over the limit are refused, all together are delayed. */
const perClient = { name: 'gate-client', count: 5, windowMs: Minute };
const perNetwork = { name: 'gate-network', count: 20, windowMs: Minute };
const overAll = { name: 'gate-all', count: 30, windowMs: Minute, getKey: getSharedKey };

/**
 * The more attempts over the limit, the longer each waits: up to half of the longest wait, since it
 * may have to queue for the check after that (`password-check.ts`).
 */
const DELAY_STEP = Second / 2;
const MAX_DELAY = 5 * Second;

/** An attempt that was counted. */
interface CountedAttempt {
  /** Milliseconds to wait before the password is checked. */
  readonly delayMs: number;
  /** Takes the counts back where the password wasn't checked. */
  readonly refund: () => Promise<void>;
}

export interface GateLimits {
  /**
   * Counts an attempt.
   * @throws AppError rate-limited, when the client or its network is over the limit
   */
  readonly consume: (address: string) => Promise<CountedAttempt>;
}

function refuseAttempt({ overLimitBy, retryAfterSeconds }: RateLimitResult): void {
  if (overLimitBy === 0) return;

  throw new AppError(
    'rate-limited',
    `Too many tries. Please try again in ${retryAfterSeconds} seconds.`,
    { retryAfterSeconds },
  );
}

/** The limits of the gate, which slow down guessing and shut nobody else out. */
export function createGateLimits(redis: Redis | undefined): GateLimits {
  const limits = createClientLimits(redis, perClient, perNetwork, refuseAttempt);
  const everyone = createRateLimiter(redis, overAll);

  return {
    consume: async (address) => {
      const refund = await limits.consume(address);
      const all = await everyone.consume(address);

      return {
        delayMs: Math.min(MAX_DELAY, all.overLimitBy * DELAY_STEP),
        refund: async () => {
          await Promise.all([refund(), all.refund()]);
        },
      };
    },
  };
}
