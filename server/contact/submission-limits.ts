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

/**
 * How many times the limit of one client, or of one network, all networks together may send before requests are held:
 * with 10 in 10 minutes these are 100, which a consultancy doesn't get from people.
 */
const TOTAL_FACTOR = 10;

/**
 * How many requests of one client may be under way at a time in one process: fewer than it has connections to
 * PostgreSQL, so that some are left to everybody else. The people of an office don't send so many within a tenth of a
 * second. Whoever raises RATE_LIMIT_CONTACT expects more of one client, and gets four fifths of it.
 */
const MIN_AT_ONCE = 8;
const AT_ONCE_SHARE = 0.8;

/** How many more may wait, as a multiple of the limit: all that a client may send at once, and a repeat of each. */
const WAITING_FACTOR = 2;

/**
 * How many stored requests of a network, held ones too, may be acknowledged an hour: an address in each may be somebody
 * else's, who would get mail from us unasked. Windows follow one another, so twice as many may fall around the end of one.
 */
const acknowledgmentRate = {
  name: 'acknowledgment-network',
  count: 3,
  windowMs: 1 * Hour,
  getKey: getNetworkKey,
};

/**
 * Creates the limits of requests by client, by network (IPv4 /24, IPv6 /48) and over all. A network may send as much as
 * one client before its requests are held. At one mail a second 10 requests, their reminders and those of the day before
 * delay the first mail of another network by less than a minute.
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
    /**
     * Counts a request. A client that exceeds its limit consumes nothing of its network's budget, and a network that
     * exceeds its budget nothing of the one for all.
     * @throws AppError rate-limited, when the client exceeds its limit
     */
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
