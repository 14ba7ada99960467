import type { Redis } from '../../shared/node/redis/connect-redis.ts';
import { Minute, Second } from '../../shared/time.ts';
import { AppError } from '../errors.ts';
import { getClientKey } from '../rate-limits/client-key.ts';
import { createCounter } from '../rate-limits/counter.ts';

/** Tries a minute: what goes beyond is refused to one client, and delayed for all together. */
const perClient = { name: 'gate-client', limit: 5, localLimit: 2, windowMs: Minute };
const overAll = { name: 'gate-all', limit: 30, localLimit: 10, windowMs: Minute };

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
  const countClient = createCounter(redis, perClient);
  const countAll = createCounter(redis, overAll);

  return {
    admit: async (address) => {
      const client = await countClient(getClientKey(address));
      if (client.excess > 0) {
        const retryAfterSeconds = Math.max(1, Math.ceil(client.endsInMs / Second));
        throw new AppError(
          'rate-limited',
          `Too many tries. Please try again in ${retryAfterSeconds} seconds.`,
          { retryAfterSeconds },
        );
      }
      const { excess } = await countAll('everyone');

      return Math.min(MAX_DELAY, excess * DELAY_STEP);
    },
  };
}
