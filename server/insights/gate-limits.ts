import type { Redis } from '../../shared/node/redis/connections.ts';
import { Minute, Second } from '../../shared/time.ts';
import { AppError } from '../http/errors.ts';
import { getNetworkKey } from '../rate-limits/client-key.ts';
import { createRateLimiter, type RateLimitResult } from '../rate-limits/rate-limiter.ts';

/** Tries a minute: what goes beyond is refused to a client and a network, and delayed for all. */
const perClient = { name: 'gate-client', count: 5, windowMs: Minute };
const perNetwork = { name: 'gate-network', count: 20, windowMs: Minute };
const overAll = { name: 'gate-all', count: 30, windowMs: Minute };

/**
 * The more tries beyond the limit, the longer each waits: up to half of what any may wait, since one
 * of the places for the check has to become free after that (`password-check.ts`).
 */
const DELAY_STEP = Second / 2;
const MAX_DELAY = 5 * Second;

const EVERYONE = 'everyone';

export interface GateLimits {
  /**
   * Counts a try.
   * @returns milliseconds to wait before the password is looked at
   * @throws AppError rate-limited, when the client or its network has no try left
   */
  readonly admit: (address: string) => Promise<number>;
  /** Takes the counts back: the password wasn't looked at. */
  readonly refund: (address: string) => Promise<void>;
}

function refuseBeyondLimit({ excess, waitSeconds }: RateLimitResult): void {
  if (excess === 0) return;

  throw new AppError(
    'rate-limited',
    `Too many tries. Please try again in ${waitSeconds} seconds.`,
    { retryAfterSeconds: waitSeconds },
  );
}

/** The limits of the gate, which keep guessing slow and nobody else out. */
export function createGateLimits(redis: Redis | undefined): GateLimits {
  const clients = createRateLimiter(redis, perClient);
  const networks = createRateLimiter(redis, perNetwork);
  const everyone = createRateLimiter(redis, overAll);

  return {
    admit: async (address) => {
      // One after the other: what is refused to a client uses up nothing of its neighbors' tries.
      refuseBeyondLimit(await clients.take(address));
      refuseBeyondLimit(await networks.take(getNetworkKey(address)));
      const { excess } = await everyone.take(EVERYONE);

      return Math.min(MAX_DELAY, excess * DELAY_STEP);
    },
    refund: async (address) => {
      await Promise.all([
        clients.refund(address),
        networks.refund(getNetworkKey(address)),
        everyone.refund(EVERYONE),
      ]);
    },
  };
}
