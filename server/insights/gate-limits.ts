import type { Redis } from '../../shared/node/redis/connect-redis.ts';
import { Minute, Second } from '../../shared/time.ts';
import { AppError } from '../errors.ts';
import { createRateLimiter } from '../rate-limits/rate-limiter.ts';

/** Tries a minute: what goes beyond is refused to one client, and delayed for all together. */
const perClient = { name: 'gate-client', count: 5, windowMs: Minute };
const overAll = { name: 'gate-all', count: 30, windowMs: Minute };

/** The more tries beyond the limit, the longer each waits, up to a time a person still waits. */
const DELAY_STEP = Second / 2;
const MAX_DELAY = 10 * Second;

export interface GateLimits {
  /**
   * Counts a try.
   * @returns milliseconds to wait before the password is looked at
   * @throws AppError rate-limited, when the client has no try left
   */
  readonly admit: (address: string) => Promise<number>;
}

/** The limits of the gate, which keep guessing slow and nobody else out. */
export function createGateLimits(redis: Redis | undefined): GateLimits {
  const clients = createRateLimiter(redis, perClient);
  const everyone = createRateLimiter(redis, overAll);

  return {
    admit: async (address) => {
      const client = await clients.take(address);
      if (client.excess > 0) {
        throw new AppError(
          'rate-limited',
          `Too many tries. Please try again in ${client.waitSeconds} seconds.`,
          { retryAfterSeconds: client.waitSeconds },
        );
      }
      const { excess } = await everyone.take('everyone');

      return Math.min(MAX_DELAY, excess * DELAY_STEP);
    },
  };
}
