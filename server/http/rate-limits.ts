/*
 * Wraps rate-limiter-flexible, which takes counts back, as `@fastify/rate-limit` can't. `limitConcurrency` stops what
 * holds all connections to PostgreSQL (`tests/faults/request-floods.test.ts`).
 */
import type ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { parseAddress } from '../../shared/node/network/ip-address.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Second } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from './errors.ts';

/** What some proxies forward: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:(?<v4>\d+\.\d+\.\d+\.\d+)|\[(?<v6>[^\]]+)\]):\d+$/;

function parseClient(client: string) {
  const { v4, v6 } = WITH_PORT.exec(client)?.groups ?? {};

  return parseAddress(v4 ?? v6 ?? client);
}

/** What a limit counts where a proxy says anything but an address: one client, however many it may be. */
const UNKNOWN = 'unknown';

const GROUP_BITS = 16;

/** The network of an IPv6 address whose prefix has so many groups of 16 bits. */
function writePrefix({ parts }: ipaddr.IPv6, groups: number): string {
  const prefix = parts.slice(0, groups).map((group) => group.toString(16));

  return `${prefix.join(':')}::/${groups * GROUP_BITS}`;
}

/** The client that a limit counts: an IPv4 address, or the /64 of an IPv6 address, of which a client has all 2^64. */
export function getClientKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address ? writePrefix(address, 4) : address.toString();
}

/** One organization's usual network: the /24 of an IPv4 address, the /48 of an IPv6 address (RIPE 690). */
export function getNetworkKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address ? writePrefix(address, 3) : `${address.octets.slice(0, 3).join('.')}.0/24`;
}

export const getSharedKey = (): string => 'everyone';

export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

interface RateLimiterOptions extends RateLimit {
  /** Unique among the limits that share a Redis. */
  readonly name: string;
  /** What requests are counted by, from the address of one; the client unless given. */
  readonly getKey?: (address: string) => string;
}

/** Counts a request by address, in Redis for all webs. While Redis is away each web allows half the limit. */
export function createRateLimiter(
  redis: Redis | undefined,
  { name, count, windowMs, getKey = getClientKey }: RateLimiterOptions,
) {
  const duration = windowMs / Second;
  const counts = redis
    ? new RateLimiterRedis({
        storeClient: redis,
        keyPrefix: `limit:${name}`,
        points: count,
        duration,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory({ points: Math.max(1, Math.floor(count / 2)), duration }),
      })
    : new RateLimiterMemory({ points: count, duration });

  return async (address: string) => {
    const key = getKey(address);
    let isOverLimit = false;
    const { msBeforeNext } = await counts.consume(key).catch((refusal: unknown) => {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      isOverLimit = true;

      return refusal;
    });

    return {
      isOverLimit,
      /** Seconds until the next window begins, at least one. */
      retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / Second)),
      /** Takes the count back where the request had no effect. */
      refund: async () => void (await counts.reward(key)),
    };
  };
}

/** A limit of each client, and one of its network. @throws AppError rate-limited; else returns what takes the counts back */
export type ClientLimits = ReturnType<typeof createClientLimits>;

/** Returns the function that counts a request for its client and its network. */
export function createClientLimits(
  redis: Redis | undefined,
  perClient: RateLimiterOptions,
  perNetwork: RateLimiterOptions,
  makeError = makeRateLimitError,
) {
  const countClient = createRateLimiter(redis, perClient);
  const countNetwork = createRateLimiter(redis, { ...perNetwork, getKey: getNetworkKey });

  return async (address: string) => {
    // A request refused to a client consumes nothing of its neighbors' limit.
    const client = await countClient(address);
    if (client.isOverLimit) throw makeError(client.retryAfterSeconds);
    const network = await countNetwork(address);
    if (network.isOverLimit) throw makeError(network.retryAfterSeconds);

    return async () => {
      await Promise.all([client.refund(), network.refund()]);
    };
  };
}

/** Runs a request's work, after others of the same client; throws AppError rate-limited when too many wait. */
export type RunLimited = <Result>(address: string, work: () => Promise<Result>) => Promise<Result>;

interface ConcurrencyLimit {
  readonly maxAtOnce: number;
  /** 0: what exceeds the limit is refused at once. */
  readonly maxWaiting: number;
  readonly getKey?: RateLimiterOptions['getKey'];
}

const RETRY_AFTER_SECONDS = 2;

/** Limits work under way per client, in one process; a disconnect frees no place. */
export function limitConcurrency({ maxAtOnce, maxWaiting, getKey = getClientKey }: ConcurrencyLimit): RunLimited {
  /** By key: how many are under way, and what begins the work of those that wait, in their order. */
  const clients = new Map<string, { underWay: number; readonly waiting: Array<() => void> }>();

  return async (address, work) => {
    const key = getKey(address);
    const client = clients.get(key) ?? { underWay: 0, waiting: [] };
    const isFull = client.underWay >= maxAtOnce;
    if (isFull && client.waiting.length >= maxWaiting) {
      throw new AppError(
        'rate-limited',
        'Too many requests from your network at once. Please try again in a few seconds.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }

    clients.set(key, client);
    // A request that waits takes the place of one that ends, and is not counted anew.
    if (isFull) await new Promise<void>((resolve) => client.waiting.push(resolve));
    else client.underWay += 1;
    try {
      return await work();
    } finally {
      const beginNext = client.waiting.shift();
      if (beginNext) beginNext();
      else {
        client.underWay -= 1;
        if (client.underWay === 0) clients.delete(key);
      }
    }
  };
}
