import type { Redis } from '../../shared/node/redis/connections.ts';
import { Hour } from '../../shared/time.ts';
import { getNetworkKey, getSharedKey } from '../rate-limits/client-key.ts';
import { limitConcurrency, type RunLimited } from '../rate-limits/concurrency-limit.ts';
import { createRateLimiter, refuseOverLimit, type RateLimit } from '../rate-limits/rate-limiter.ts';
import { createSlidingLimiter } from '../rate-limits/sliding-limiter.ts';

/** Spam signals that don't depend on the content: how many requests came before. */
export type RateSignal = 'network-rate' | 'total-rate';

/**
 * How many times the limit of a client its network, and all networks together, may send before a
 * request needs a proof of work: with 10 in 10 minutes these are 30 and 100, which a consultancy
 * doesn't get from people.
 */
const NETWORK_FACTOR = 3;
const TOTAL_FACTOR = 10;

/**
 * How many requests of one client may be under way at a time in one process: fewer than it has
 * connections to PostgreSQL, so that repeats of one request, which wait for one another, leave some to
 * everybody else. The people of an office don't send so many within a tenth of a second. Whoever raises
 * RATE_LIMIT_CONTACT expects more of one client, and gets four fifths of it.
 */
const MIN_AT_ONCE = 8;
const AT_ONCE_SHARE = 0.8;

/** How many more may wait, as a multiple of the limit: all that a client may send at once, and a repeat of each. */
const WAITING_FACTOR = 2;

/**
 * How many stored requests of a network, held ones too, may be acknowledged within any hour: an address in each may be
 * somebody else's, who would get mail from us unasked.
 */
const acknowledgmentRate = {
  name: 'acknowledgment-network',
  count: 3,
  windowMs: 1 * Hour,
  getKey: getNetworkKey,
};

/** A request that was counted, and what follows for it. */
export interface CountedSubmission {
  /** 1 for the first request of its network within the window, 2 for the second. */
  readonly networkRank: number;
  readonly signals: readonly RateSignal[];
  /** Its network has had fewer requests stored within the hour than may be acknowledged. */
  readonly mayAcknowledge: boolean;
  /** Takes the counts back where nothing was stored or released. */
  readonly refund: () => Promise<void>;
}

/** Counts accepted requests by client, by network (IPv4 /24, IPv6 /48) and over all. */
export interface SubmissionLimits {
  /** @throws AppError rate-limited, when the client exceeds its limit */
  readonly consume: (address: string) => Promise<CountedSubmission>;
  /**
   * Counts the release of a request that was held, whoever posted it: a network's releases wait for one another as
   * its requests do, and each may be acknowledged as one more request.
   */
  readonly consumeRelease: (
    address: string,
  ) => Promise<Pick<CountedSubmission, 'networkRank' | 'mayAcknowledge' | 'refund'>>;
  /** Runs the work of a request in its turn among the client's, unless too many wait. */
  readonly runLimited: RunLimited;
  /** Runs the work of requests with the same key one after the other, in this process. */
  readonly runInTurn: RunLimited;
}

function createLimiters(redis: Redis | undefined, { count, windowMs }: RateLimit) {
  const ofNetwork = { count: count * NETWORK_FACTOR, windowMs, getKey: getNetworkKey };
  const ofAll = { count: count * TOTAL_FACTOR, windowMs, getKey: getSharedKey };

  return {
    clients: createRateLimiter(redis, { name: 'contact-client', count, windowMs }),
    networks: createRateLimiter(redis, { ...ofNetwork, name: 'contact-network' }),
    releases: createRateLimiter(redis, { ...ofNetwork, name: 'contact-release' }),
    acknowledgments: createSlidingLimiter(redis, acknowledgmentRate),
    total: createRateLimiter(redis, { ...ofAll, name: 'contact-total' }),
  };
}

type Limiters = ReturnType<typeof createLimiters>;

/** A client that exceeds its limit consumes nothing of its network's, a network nothing of the budget of all. */
async function consume(
  { clients, networks, acknowledgments, total }: Limiters,
  address: string,
): Promise<CountedSubmission> {
  const client = await clients.consume(address);
  if (client.overLimitBy > 0) await client.refund();
  refuseOverLimit(client);

  const [network, acknowledgment] = await Promise.all([
    networks.consume(address),
    acknowledgments.consume(address),
  ]);
  const all = network.overLimitBy === 0 ? await total.consume(address) : undefined;

  return {
    networkRank: network.count,
    signals: [
      ...(network.overLimitBy > 0 ? ['network-rate' as const] : []),
      ...(all && all.overLimitBy > 0 ? ['total-rate' as const] : []),
    ],
    mayAcknowledge: acknowledgment !== undefined,
    refund: async () => {
      await Promise.all([client.refund(), network.refund(), acknowledgment?.(), all?.refund()]);
    },
  };
}

async function consumeRelease(
  { networks, releases, acknowledgments }: Limiters,
  address: string,
): ReturnType<SubmissionLimits['consumeRelease']> {
  const [release, network, acknowledgment] = await Promise.all([
    releases.consume(address),
    networks.peek(address),
    acknowledgments.consume(address),
  ]);

  return {
    // `peek` counts one more than were stored.
    networkRank: Math.max(release.count, network.count - 1),
    mayAcknowledge: acknowledgment !== undefined,
    refund: async () => {
      await Promise.all([release.refund(), acknowledgment?.()]);
    },
  };
}

/** @param limit of one client: RATE_LIMIT_CONTACT */
export function createSubmissionLimits(
  redis: Redis | undefined,
  limit: RateLimit,
): SubmissionLimits {
  const limiters = createLimiters(redis, limit);

  return {
    consume: (address) => consume(limiters, address),
    consumeRelease: (address) => consumeRelease(limiters, address),
    runLimited: limitConcurrency({
      maxAtOnce: Math.max(MIN_AT_ONCE, Math.floor(limit.count * AT_ONCE_SHARE)),
      maxWaiting: limit.count * WAITING_FACTOR,
    }),
    runInTurn: limitConcurrency({ maxAtOnce: 1, maxWaiting: Infinity, getKey: (key) => key }),
  };
}
