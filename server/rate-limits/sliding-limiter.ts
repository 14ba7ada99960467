import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Second } from '../../shared/time.ts';
import { halveLimit, makeRefund, withFallback, type RateLimiterOptions } from './rate-limiter.ts';

/**
 * Lets no more than so many requests through within any time of a window's length. Windows that follow one
 * another, as those of `createRateLimiter`, let twice as many through around the end of one.
 */
interface SlidingLimiter {
  /**
   * Counts one request, where it may go through.
   * @returns what takes the count back where the request had no effect; undefined where it may not go through
   */
  readonly consume: (address: string) => Promise<(() => Promise<void>) | undefined>;
}

const isFree = (place: RateLimiterAbstract, key: string) =>
  place.consume(key).then(
    () => true,
    (refusal: unknown) => {
      if (refusal instanceof RateLimiterRes) return false;
      throw refusal;
    },
  );

/** As many places as the limit allows, each with a window that begins when somebody takes it. */
const makeSlidingLimiter = (
  places: readonly RateLimiterAbstract[],
  getKey: (address: string) => string,
): SlidingLimiter => ({
  consume: async (address) => {
    const key = getKey(address);
    for (const place of places) {
      // Not a count less: the next who takes the place would have the rest of this window only.
      if (await isFree(place, key)) return async () => void (await place.delete(key));
    }

    return undefined;
  },
});

const makePlaces = <Place>(count: number, make: (number: number) => Place): Place[] =>
  Array.from({ length: count }, (_, index) => make(index + 1));

/**
 * Counts as `createRateLimiter` does: in Redis, and locally while it is away. A place that is taken back is free again in
 * this process; another one that found it taken knows so when its window has ended.
 */
export function createSlidingLimiter(
  redis: Redis | undefined,
  { name, count, windowMs, getKey }: Required<RateLimiterOptions>,
): SlidingLimiter {
  const window = { points: 1, duration: windowMs / Second };
  const makeLocal = (places: number) =>
    makeSlidingLimiter(makePlaces(places, () => new RateLimiterMemory(window)), getKey);
  if (!redis) return makeLocal(count);

  const local = makeLocal(halveLimit(count));
  const makeShared = (number: number) =>
    new RateLimiterRedis({
      ...window,
      storeClient: redis,
      keyPrefix: `limit:${name}-${number}`,
      rejectIfRedisNotReady: true,
      // Of a place that is taken Redis isn't asked again, which a flood would do for each of its requests.
      inMemoryBlockOnConsumed: 1,
    });
  const shared = makeSlidingLimiter(makePlaces(count, makeShared), getKey);

  return {
    consume: (address) =>
      withFallback(
        redis,
        async () => {
          const refund = await shared.consume(address);

          return refund && makeRefund(redis, refund);
        },
        () => local.consume(address),
      ),
  };
}
