import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Redis } from '../../shared/node/redis/connect-redis.ts';
import { Second } from '../../shared/time.ts';
import { getClientKey } from './client-key.ts';

/** So many requests of one client within so much time. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** Where a client stands within its window. */
export interface Standing {
  /** By how many the limit is exceeded; 0 within it. */
  readonly excess: number;
  /** Seconds until the count begins anew, at least one. */
  readonly waitSeconds: number;
}

/** Counts requests per client within a window; a client is named by its address. */
export interface RateLimiter {
  /** Counts one request. */
  readonly take: (client: string) => Promise<Standing>;
  /** Takes a count back: nothing came of the request after all. */
  readonly giveBack: (client: string) => Promise<void>;
}

function makeLimiter(counts: RateLimiterAbstract, limit: number): RateLimiter {
  return {
    take: async (client) => {
      const state = await counts.consume(getClientKey(client)).catch((refusal: unknown) => {
        if (refusal instanceof RateLimiterRes) return refusal;
        throw refusal;
      });

      return {
        excess: Math.max(0, state.consumedPoints - limit),
        waitSeconds: Math.max(1, Math.ceil(state.msBeforeNext / Second)),
      };
    },
    giveBack: async (client) => {
      await counts.reward(getClientKey(client));
    },
  };
}

function makeLocalLimiter(count: number, duration: number): RateLimiter {
  return makeLimiter(new RateLimiterMemory({ points: count, duration }), count);
}

/**
 * Counts in Redis, for all web processes together. While Redis is away each counts for itself, up
 * to half the limit; without Redis there is one process, and the limit is its.
 * @param limit its name is unique among the limits that share a Redis
 */
export function createRateLimiter(
  redis: Redis | undefined,
  { name, count, windowMs }: RateLimit & { readonly name: string },
): RateLimiter {
  const duration = windowMs / Second;
  if (!redis) return makeLocalLimiter(count, duration);

  const locally = makeLocalLimiter(Math.max(1, Math.floor(count / 2)), duration);
  const together = makeLimiter(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `limit:${name}`,
      points: count,
      duration,
      rejectIfRedisNotReady: true,
    }),
    count,
  );

  // The connection tells the log when Redis goes away and comes back.
  return {
    take: (client) => together.take(client).catch(() => locally.take(client)),
    giveBack: (client) => together.giveBack(client).catch(() => locally.giveBack(client)),
  };
}
