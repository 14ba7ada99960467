import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { Second } from '../../shared/time.ts';

/** Counts accepted requests per client within a window. */
export interface SubmissionLimiter {
  /** Seconds until the client may send again, or undefined when it may now. */
  readonly findWaitSeconds: (client: string) => Promise<number | undefined>;
  /** Counts one request; false when the client has none left. */
  readonly take: (client: string) => Promise<boolean>;
}

/** A limiter in this process's memory. */
export function createSubmissionLimiter(limit: {
  readonly count: number;
  readonly windowMs: number;
}): SubmissionLimiter {
  const limiter = new RateLimiterMemory({
    points: limit.count,
    duration: limit.windowMs / Second,
  });

  return {
    findWaitSeconds: async (client) => {
      const usage = await limiter.get(client);

      return usage && usage.remainingPoints <= 0
        ? Math.max(1, Math.ceil(usage.msBeforeNext / Second))
        : undefined;
    },
    take: async (client) => {
      try {
        await limiter.consume(client);

        return true;
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return false;
        throw refusal;
      }
    },
  };
}
