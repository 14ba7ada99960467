import type { Redis } from '../../shared/node/redis/connections.ts';
import { getNetworkKey } from './client-key.ts';
import {
  createRateLimiter,
  refuseOverLimit,
  type RateLimiterOptions,
  type RateLimitResult,
} from './rate-limiter.ts';

/** The limit of each client, and that of each network. */
export interface ClientLimits {
  /**
   * Counts a request.
   * @returns what takes the counts back where the request had no effect
   * @throws AppError rate-limited, when the client or its network is over the limit
   */
  readonly consume: (address: string) => Promise<() => Promise<void>>;
}

type LimitOptions = Omit<RateLimiterOptions, 'getKey'>;

/**
 * Counts for each client and for its network; see `createRateLimiter`.
 * @param refuse throws where the limit is exceeded
 */
export function createClientLimits(
  redis: Redis | undefined,
  perClient: LimitOptions,
  perNetwork: LimitOptions,
  refuse: (result: RateLimitResult) => void = refuseOverLimit,
): ClientLimits {
  const clients = createRateLimiter(redis, perClient);
  const networks = createRateLimiter(redis, { ...perNetwork, getKey: getNetworkKey });

  return {
    consume: async (address) => {
      // A request refused to a client consumes nothing of its neighbors' limit.
      const client = await clients.consume(address);
      refuse(client);
      const network = await networks.consume(address);
      refuse(network);

      return async () => {
        await Promise.all([client.refund(), network.refund()]);
      };
    },
  };
}
