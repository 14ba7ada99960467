/*
 * Wraps rate-limiter-flexible, because `@fastify/rate-limit` can't refund counts. `limitConcurrency` keeps one client
 * from using all connections to PostgreSQL (`tests/faults/request-floods.test.ts`).
 */
import type ipaddr from 'ipaddr.js';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { parseAddress } from '../../shared/node/network/ip-address.ts';
import type { Redis } from '../../shared/node/redis/connections.ts';
import { Second } from '../../shared/time.ts';
import { AppError, makeRateLimitError } from './errors.ts';

/** Addresses in the form some proxies use: `192.0.2.1:50000`, `[2001:db8::1]:50000`. */
const WITH_PORT = /^(?:(?<v4>\d+\.\d+\.\d+\.\d+)|\[(?<v6>[^\]]+)\]):\d+$/;

function parseClient(client: string) {
  const { v4, v6 } = WITH_PORT.exec(client)?.groups ?? {};

  return parseAddress(v4 ?? v6 ?? client);
}

/** The key that all clients without a valid address share. */
const UNKNOWN = 'unknown';

const GROUP_BITS = 16;

/** Returns an IPv6 address's prefix with this many 16-bit groups. */
function writePrefix({ parts }: ipaddr.IPv6, groups: number): string {
  const prefix = parts.slice(0, groups).map((group) => group.toString(16));

  return `${prefix.join(':')}::/${groups * GROUP_BITS}`;
}

/** Returns a client's key: its IPv4 address, or its IPv6 /64, whose 2^64 addresses all belong to it. */
export function getClientKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address ? writePrefix(address, 4) : address.toString();
}

/** Returns the key of a typical organization's network: the IPv4 /24, or the IPv6 /48 (RIPE 690). */
export function getNetworkKey(client: string): string {
  const address = parseClient(client);
  if (!address) return UNKNOWN;

  return 'parts' in address ? writePrefix(address, 3) : `${address.octets.slice(0, 3).join('.')}.0/24`;
}

export const getGlobalKey = (): string => 'everyone';

export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

interface RateLimiterOptions extends RateLimit {
  /** Unique among the limits that share a Redis server. */
  readonly name: string;
  /** Returns the key to count by. Default: the client's key. */
  readonly getKey?: (address: string) => string;
}

/** Creates a limit that counts in Redis for all web processes. While Redis is down, each process allows half. */
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
      /** Refunds a request that had no effect. */
      refund: async () => void (await counts.reward(key)),
    };
  };
}

/** Counts a request for its client and network. Returns a refund function. @throws AppError rate-limited */
export type ClientLimits = ReturnType<typeof createClientLimits>;

/** Returns the function that counts a request toward its client and network limits. */
export function createClientLimits(
  redis: Redis | undefined,
  perClient: RateLimiterOptions,
  perNetwork: RateLimiterOptions,
  makeError = makeRateLimitError,
) {
  const countClient = createRateLimiter(redis, perClient);
  const countNetwork = createRateLimiter(redis, { ...perNetwork, getKey: getNetworkKey });

  return async (address: string) => {
    // A client over its own limit doesn't use up its network's limit.
    const client = await countClient(address);
    if (client.isOverLimit) throw makeError(client.retryAfterSeconds);
    const network = await countNetwork(address);
    if (network.isOverLimit) throw makeError(network.retryAfterSeconds);

    return async () => {
      await Promise.all([client.refund(), network.refund()]);
    };
  };
}

/** Runs work once the client has a free slot. @throws AppError rate-limited if too many are waiting */
export type RunLimited = <Result>(address: string, work: () => Promise<Result>) => Promise<Result>;

interface ConcurrencyLimit {
  readonly maxAtOnce: number;
  /** Maximum number of waiting calls. With 0, work beyond the limit is refused immediately. */
  readonly maxWaiting: number;
  readonly getKey?: RateLimiterOptions['getKey'];
}

const RETRY_AFTER_SECONDS = 2;

/** Creates a per-client limit on concurrent work in this process. A disconnect doesn't free a slot. */
export function limitConcurrency({ maxAtOnce, maxWaiting, getKey = getClientKey }: ConcurrencyLimit): RunLimited {
  /** For each key, the number of running calls and the functions that start waiting calls, oldest first. */
  const clients = new Map<string, { running: number; readonly waiting: Array<() => void> }>();

  return async (address, work) => {
    const key = getKey(address);
    const client = clients.get(key) ?? { running: 0, waiting: [] };
    const isFull = client.running >= maxAtOnce;
    if (isFull && client.waiting.length >= maxWaiting) {
      throw new AppError(
        'rate-limited',
        'Too many requests from your network at once. Please try again in a few seconds.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }

    clients.set(key, client);
    // A waiting call takes over the slot of a finished one.
    if (isFull) await new Promise<void>((resolve) => client.waiting.push(resolve));
    else client.running += 1;
    try {
      return await work();
    } finally {
      const startNext = client.waiting.shift();
      if (startNext) startNext();
      else {
        client.running -= 1;
        if (client.running === 0) clients.delete(key);
      }
    }
  };
}
