import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Second } from '../../shared/time.ts';
import { getClientKey } from './client-key.ts';

/** So many requests of one client within so much time. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** Counts requests per client within a window; a client is named by its address. */
export interface RateLimiter {
  /** Counts one request; returns the seconds to wait when the client has none left. */
  readonly take: (client: string) => Promise<number | undefined>;
  /** Takes a count back: nothing came of the request after all. */
  readonly giveBack: (client: string) => Promise<void>;
}

/** A limiter in this process's memory. */
export function createRateLimiter(limit: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({
    points: limit.count,
    duration: limit.windowMs / Second,
  });

  return {
    take: async (client) => {
      try {
        await limiter.consume(getClientKey(client));

        return undefined;
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;

        return Math.max(1, Math.ceil(refusal.msBeforeNext / Second));
      }
    },
    giveBack: async (client) => {
      await limiter.reward(getClientKey(client));
    },
  };
}
