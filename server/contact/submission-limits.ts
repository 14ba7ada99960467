import type { Redis } from '../../shared/node/redis/connections.ts';
import { Hour } from '../../shared/time.ts';
import { makeRateLimitError } from '../http/errors.ts';
import {
  createRateLimiter,
  getNetworkKey,
  getSharedKey,
  limitConcurrency,
  type RateLimit,
} from '../http/rate-limits.ts';

/** All networks together, as a multiple of one's limit: 100 requests in 10 minutes don't come from people. */
const TOTAL_FACTOR = 10;

/** Requests of one client at a time in one process, so that connections to PostgreSQL are left to others. */
const MIN_AT_ONCE = 8;
const AT_ONCE_SHARE = 0.8;

/** How many more may wait, as a multiple of the limit: all that a client may send at once, and a repeat of each. */
const WAITING_FACTOR = 2;

/** Acknowledged requests of a network per hour: each address may be somebody else's, who would get unasked mail. */
const acknowledgmentRate = {
  name: 'acknowledgment-network',
  count: 3,
  windowMs: 1 * Hour,
  getKey: getNetworkKey,
};

/**
 * Creates the limits by client, network and over all. A network may send as much as one client before its requests are
 * held: their mails delay another network's first by less than a minute.
 * @param limit of one client: RATE_LIMIT_CONTACT
 */
export function createSubmissionLimits(redis: Redis | undefined, limit: RateLimit) {
  const countClient = createRateLimiter(redis, { ...limit, name: 'contact-client' });
  const countNetwork = createRateLimiter(redis, { ...limit, name: 'contact-network', getKey: getNetworkKey });
  const countAll = createRateLimiter(redis, {
    ...limit,
    count: limit.count * TOTAL_FACTOR,
    name: 'contact-total',
    getKey: getSharedKey,
  });
  const countAcknowledgment = createRateLimiter(redis, acknowledgmentRate);

  return {
    /** Counts a request; what exceeds one limit consumes nothing of the next. Throws AppError rate-limited. */
    consume: async (address: string) => {
      const client = await countClient(address);
      if (client.isOverLimit) {
        await client.refund();
        throw makeRateLimitError(client.retryAfterSeconds);
      }
      const [network, acknowledgment] = await Promise.all([countNetwork(address), countAcknowledgment(address)]);
      const all = network.isOverLimit ? undefined : await countAll(address);

      return {
        /** Why the request is held whatever it says: how many came before. */
        signals: [
          ...(network.isOverLimit ? ['network-rate' as const] : []),
          ...(all?.isOverLimit ? ['total-rate' as const] : []),
        ],
        /** Its network has had fewer requests stored within the hour than may be acknowledged. */
        mayAcknowledge: !acknowledgment.isOverLimit,
        /** Takes the counts back where nothing was stored. */
        refund: async () => {
          await Promise.all([client.refund(), network.refund(), acknowledgment.refund(), all?.refund()]);
        },
      };
    },
    /** Runs the work of a request in its turn among the client's, unless too many wait. */
    runLimited: limitConcurrency({
      maxAtOnce: Math.max(MIN_AT_ONCE, Math.floor(limit.count * AT_ONCE_SHARE)),
      maxWaiting: limit.count * WAITING_FACTOR,
    }),
    /** Runs the work of requests with the same key one after the other, in this process. */
    runInTurn: limitConcurrency({ maxAtOnce: 1, maxWaiting: Infinity, getKey: (key) => key }),
  };
}

export type SubmissionLimits = ReturnType<typeof createSubmissionLimits>;
