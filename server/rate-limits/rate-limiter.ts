import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Second } from '../../shared/time.ts';
import { makeRateLimitError } from '../http/errors.ts';
import { getClientKey } from './client-key.ts';

/** So many requests of one client within so much time. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** A client's state within its window. */
export interface RateLimitResult {
  /** The requests counted so far, this one included. */
  readonly count: number;
  /** By how many requests the client is over the limit; 0 within it. */
  readonly overLimitBy: number;
  /** Seconds until the next window begins, at least one. */
  readonly retryAfterSeconds: number;
}

/** @throws AppError rate-limited, when the client is over the limit */
export function refuseOverLimit({ overLimitBy, retryAfterSeconds }: RateLimitResult): void {
  if (overLimitBy > 0) throw makeRateLimitError(retryAfterSeconds);
}

/** Counts requests per client within a window; a client is named by its address or its network. */
export interface RateLimiter {
  /** Counts one request. */
  readonly consume: (client: string) => Promise<RateLimitResult>;
  /** The result if one request were counted now; counts nothing. */
  readonly peek: (client: string) => Promise<RateLimitResult>;
  /** Takes a count back where the request had no effect. */
  readonly refund: (client: string) => Promise<void>;
}

function makeLimiter(counts: RateLimiterAbstract, limit: number): RateLimiter {
  const count = async (client: string, points: 0 | 1): Promise<RateLimitResult> => {
    const state = await counts.consume(getClientKey(client), points).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });
    const consumed = state.consumedPoints + 1 - points;

    return {
      count: consumed,
      overLimitBy: Math.max(0, consumed - limit),
      retryAfterSeconds: Math.max(1, Math.ceil(state.msBeforeNext / Second)),
    };
  };

  return {
    consume: (client) => count(client, 1),
    peek: (client) => count(client, 0),
    refund: async (client) => {
      await counts.reward(getClientKey(client));
    },
  };
}

function makeLocalLimiter(count: number, duration: number): RateLimiter {
  return makeLimiter(new RateLimiterMemory({ points: count, duration }), count);
}

/** Milliseconds; a visitor whose request is counted several times waits for a Redis timeout once. */
const RETRY_REDIS_AFTER = 1 * Second;

/** By connection: until when Redis isn't called because it didn't respond, by `performance.now()`. */
const unresponsiveUntil = new WeakMap<Redis, number>();

/** Counts in Redis, or locally while Redis is away. The connection logs both. */
async function withFallback<Result>(
  redis: Redis,
  shared: () => Promise<Result>,
  local: () => Promise<Result>,
): Promise<Result> {
  if (performance.now() < (unresponsiveUntil.get(redis) ?? 0)) return local();

  try {
    return await shared();
  } catch {
    unresponsiveUntil.set(redis, performance.now() + RETRY_REDIS_AFTER);

    return local();
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

  const local = makeLocalLimiter(Math.max(1, Math.floor(count / 2)), duration);
  const shared = makeLimiter(
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
    consume: (client) =>
      withFallback(redis, () => shared.consume(client), () => local.consume(client)),
    peek: (client) => withFallback(redis, () => shared.peek(client), () => local.peek(client)),
    refund: (client) => withFallback(redis, () => shared.refund(client), () => local.refund(client)),
  };
}
