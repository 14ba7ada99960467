import type { Redis } from '../../shared/node/redis/connections.ts';
import { getNetworkKey } from './client-key.ts';
import { createRateLimiter, refuseOverLimit, type RateLimiterOptions } from './rate-limiter.ts';

/** The limit of each client, and that of each network. */
export interface ClientLimits {
  /**
   * Counts a request.
   * @throws AppError rate-limited, when the client or its network is over the limit
   */
  readonly consume: (address: string) => Promise<void>;
  /** Takes the counts back where the request had no effect. */
  readonly refund: (address: string) => Promise<void>;
}

type LimitOptions = Omit<RateLimiterOptions, 'getKey'>;

/** Counts for each client and for its network; see `createRateLimiter`. */
export function createClientLimits(
  redis: Redis | undefined,
  perClient: LimitOptions,
  perNetwork: LimitOptions,
): ClientLimits {
  const clients = createRateLimiter(redis, perClient);
  const networks = createRateLimiter(redis, { ...perNetwork, getKey: getNetworkKey });

  return {
    consume: async (address) => {
      // A request refused to a client consumes nothing of its neighbors' limit.
      refuseOverLimit(await clients.consume(address));
      refuseOverLimit(await networks.consume(address));
    },
    refund: async (address) => {
      await Promise.all([clients.refund(address), networks.refund(address)]);
    },
  };
}
