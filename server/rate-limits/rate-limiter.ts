import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Second } from '../../shared/time.ts';
import { getClientKey } from './client-key.ts';

/** So many requests of one client within so much time. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** Where a client stands within its window. */
export interface RateLimitResult {
  /** The requests counted so far, this one included. */
  readonly count: number;
  /** By how many the limit is exceeded; 0 within it. */
  readonly excess: number;
  /** Seconds until the count begins anew, at least one. */
  readonly waitSeconds: number;
}

/** Counts requests per client within a window; a client is named by its address or its network. */
export interface RateLimiter {
  /** Counts one request. */
  readonly take: (client: string) => Promise<RateLimitResult>;
  /** Where the client would stand if one request were counted now; counts nothing. */
  readonly peek: (client: string) => Promise<RateLimitResult>;
  /** Takes a count back: nothing came of the request after all. */
  readonly refund: (client: string) => Promise<void>;
}

function makeLimiter(counts: RateLimiterAbstract, limit: number): RateLimiter {
  const consume = async (client: string, points: 0 | 1): Promise<RateLimitResult> => {
    const state = await counts.consume(getClientKey(client), points).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const count = state.consumedPoints + 1 - points;

    return {
      count,
      excess: Math.max(0, count - limit),
      waitSeconds: Math.max(1, Math.ceil(state.msBeforeNext / Second)),
    };
  };

  return {
    take: (client) => consume(client, 1),
    peek: (client) => consume(client, 0),
    refund: async (client) => {
      await counts.reward(getClientKey(client));
    },
  };
}

function makeLocalLimiter(count: number, duration: number): RateLimiter {
  return makeLimiter(new RateLimiterMemory({ points: count, duration }), count);
}

/** A visitor whose request is counted several times waits for a silent Redis once. */
const RETRY_REDIS_AFTER = 1 * Second;

/** By connection: until when Redis isn't asked because it didn't answer, by `performance.now()`. */
const silentUntil = new WeakMap<Redis, number>();

/** Asks Redis, or counts locally while Redis is away. The connection logs when it goes and comes back. */
async function withFallback<Result>(
  redis: Redis,
  together: () => Promise<Result>,
  locally: () => Promise<Result>,
): Promise<Result> {
  if (performance.now() < (silentUntil.get(redis) ?? 0)) return locally();

  try {
    return await together();
  } catch {
    silentUntil.set(redis, performance.now() + RETRY_REDIS_AFTER);

    return locally();
  }
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

  return {
    take: (client) => withFallback(redis, () => together.take(client), () => locally.take(client)),
    peek: (client) => withFallback(redis, () => together.peek(client), () => locally.peek(client)),
    refund: (client) =>
      withFallback(redis, () => together.refund(client), () => locally.refund(client)),
  };
}
