/*
 * Wraps rate-limiter-flexible. `@fastify/rate-limit` counts every request and takes nothing back, while repeats and
 * failed requests must not count (`tests/integration/rate-limits.test.ts`).
 */
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

/** So many requests within so much time. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

export interface RateLimiterOptions extends RateLimit {
  /** Unique among the limits that share a Redis. */
  readonly name: string;
  /** What requests are counted by, from the address of one; the client unless given. */
  readonly getKey?: (address: string) => string;
}

/** The state of a client, or of what else is counted, within its window. */
export interface RateLimitResult {
  /** The requests counted so far, with this one. */
  readonly count: number;
  /** By how many requests the limit is exceeded; 0 within it. */
  readonly overLimitBy: number;
  /** Seconds until the next window begins, at least one. */
  readonly retryAfterSeconds: number;
}

/** A request that was counted. */
interface CountedRequest extends RateLimitResult {
  /** Takes the count back where the request had no effect; does nothing once the window has ended. */
  readonly refund: () => Promise<void>;
}

/** @throws AppError rate-limited, when the limit is exceeded */
export function refuseOverLimit({ overLimitBy, retryAfterSeconds }: RateLimitResult): void {
  if (overLimitBy > 0) throw makeRateLimitError(retryAfterSeconds);
}

/** Counts requests within a window, by the address they come from. */
export interface RateLimiter {
  /** Counts one request. */
  readonly consume: (address: string) => Promise<CountedRequest>;
}

function makeLimiter(
  counts: RateLimiterAbstract,
  limit: number,
  getKey: (address: string) => string,
): RateLimiter {
  const count = (key: string): Promise<RateLimiterRes> =>
    counts.consume(key).catch((refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return refusal;
      throw refusal;
    });

  return {
    consume: async (address) => {
      const key = getKey(address);
      const startedAt = performance.now();
      const { consumedPoints, msBeforeNext } = await count(key);

      return {
        count: consumedPoints,
        overLimitBy: Math.max(0, consumedPoints - limit),
        retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / Second)),
        refund: async () => {
          // The next window would begin with a request more than the limit.
          if (performance.now() < startedAt + msBeforeNext) await counts.reward(key);
        },
      };
    },
  };
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
 * to half the limit; without Redis there is one process, which has the whole limit.
 */
export function createRateLimiter(
  redis: Redis | undefined,
  { name, count, windowMs, getKey = getClientKey }: RateLimiterOptions,
): RateLimiter {
  const duration = windowMs / Second;
  const makeLocalLimiter = (points: number) =>
    makeLimiter(new RateLimiterMemory({ points, duration }), points, getKey);
  if (!redis) return makeLocalLimiter(count);

  const local = makeLocalLimiter(Math.max(1, Math.floor(count / 2)));
  const shared = makeLimiter(
    new RateLimiterRedis({
      storeClient: redis,
      keyPrefix: `limit:${name}`,
      points: count,
      duration,
      rejectIfRedisNotReady: true,
    }),
    count,
    getKey,
  );

  return {
    consume: (address) =>
      withFallback(
        redis,
        async () => {
          const counted = await shared.consume(address);
          // While Redis is away nothing can be taken back.
          const refund = () => withFallback(redis, counted.refund, () => Promise.resolve());

          return { ...counted, refund };
        },
        () => local.consume(address),
      ),
  };
}
