import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Redis } from '../../shared/node/redis/connect-redis.ts';
import { Second } from '../../shared/time.ts';

/** Where a count stands within its window. */
export interface Count {
  /** By how many the limit is exceeded; 0 within it. */
  readonly excess: number;
  /** Milliseconds until the count begins anew. */
  readonly endsInMs: number;
}

/** Counts one more under a key. */
export type Counter = (key: string) => Promise<Count>;

export interface CounterSettings {
  /** Unique among the counters that share a Redis. */
  readonly name: string;
  readonly limit: number;
  /** Limit of this process alone while Redis is away. */
  readonly localLimit: number;
  readonly windowMs: number;
}

function makeCounter(limiter: RateLimiterAbstract, limit: number): Counter {
  return async (key) => {
    const state = await limiter.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });

    return {
      excess: Math.max(0, state.consumedPoints - limit),
      endsInMs: state.msBeforeNext,
    };
  };
}

const makeLocalCounter = (limit: number, windowMs: number): Counter =>
  makeCounter(new RateLimiterMemory({ points: limit, duration: windowMs / Second }), limit);

/**
 * Counts in Redis, for all web processes together. While Redis is away each counts for itself, up
 * to a limit of its own; without Redis there is one process, and the limit is its.
 */
export function createCounter(redis: Redis | undefined, settings: CounterSettings): Counter {
  const { name, limit, localLimit, windowMs } = settings;
  if (!redis) return makeLocalCounter(limit, windowMs);

  const countLocally = makeLocalCounter(localLimit, windowMs);
  const countTogether = makeCounter(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: name,
      points: limit,
      duration: windowMs / Second,
      rejectIfRedisNotReady: true,
    }),
    limit,
  );

  // The connection tells the log when Redis goes away and comes back.
  return (key) => countTogether(key).catch(() => countLocally(key));
}
