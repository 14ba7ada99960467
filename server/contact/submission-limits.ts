import type { Redis } from '../../shared/node/redis/connections.ts';
import { Hour } from '../../shared/time.ts';
import { makeRateLimitError } from '../http/errors.ts';
import {
  createRateLimiter,
  getNetworkKey,
  getGlobalKey,
  limitConcurrency,
  type RateLimit,
} from '../http/rate-limits.ts';

/** Limit for all networks, as a multiple of one network's. Real visitors don't send 100 requests in 10 minutes. */
const TOTAL_FACTOR = 10;

/** Minimum concurrency limit per client and process. It leaves PostgreSQL connections for other clients. */
const MIN_CONCURRENCY = 8;
const CONCURRENCY_SHARE = 0.8;

/** Maximum number of waiting requests, as a multiple of the rate limit: enough to send each allowed request twice. */
const WAITING_FACTOR = 2;

/** Acknowledgments per network per hour. They are limited because the addresses may belong to strangers. */
const acknowledgmentRate = {
  name: 'acknowledgment-network',
  count: 3,
  windowMs: 1 * Hour,
  getKey: getNetworkKey,
};

/**
 * Creates the limits per client, per network and in total. A network may send as many requests as one client. Further
 * requests are held, so mails for one network delay another's first mail by less than a minute.
 * @param limit the limit per client, RATE_LIMIT_CONTACT
 */
export function createSubmissionLimits(redis: Redis | undefined, limit: RateLimit) {
  const countClient = createRateLimiter(redis, { ...limit, name: 'contact-client' });
  const countNetwork = createRateLimiter(redis, { ...limit, name: 'contact-network', getKey: getNetworkKey });
  const countAll = createRateLimiter(redis, {
    ...limit,
    count: limit.count * TOTAL_FACTOR,
    name: 'contact-total',
    getKey: getGlobalKey,
  });
  const countAcknowledgment = createRateLimiter(redis, acknowledgmentRate);

  return {
    /** Counts a request. If it exceeds one limit, it doesn't count toward the next. @throws AppError rate-limited */
    consume: async (address: string) => {
      const client = await countClient(address);
      if (client.isOverLimit) {
        await client.refund();
        throw makeRateLimitError(client.retryAfterSeconds);
      }
      const [network, acknowledgment] = await Promise.all([countNetwork(address), countAcknowledgment(address)]);
      const all = network.isOverLimit ? undefined : await countAll(address);

      return {
        /** Why the request is held regardless of its content. */
        signals: [
          ...(network.isOverLimit ? ['network-rate' as const] : []),
          ...(all?.isOverLimit ? ['total-rate' as const] : []),
        ],
        /** Whether the request's network is below its acknowledgment limit. */
        mayAcknowledge: !acknowledgment.isOverLimit,
        /** Refunds the counts. Call it if nothing was stored. */
        refund: async () => {
          await Promise.all([client.refund(), network.refund(), acknowledgment.refund(), all?.refund()]);
        },
      };
    },
    /** Runs a request's work within the client's concurrency limit. */
    runLimited: limitConcurrency({
      maxAtOnce: Math.max(MIN_CONCURRENCY, Math.floor(limit.count * CONCURRENCY_SHARE)),
      maxWaiting: limit.count * WAITING_FACTOR,
    }),
    /** Runs calls with the same key one at a time within this process. */
    runInTurn: limitConcurrency({ maxAtOnce: 1, maxWaiting: Infinity, getKey: (key) => key }),
  };
}

export type SubmissionLimits = ReturnType<typeof createSubmissionLimits>;
