/*
 * Own code because of attacks that no count within a time stops: one client or network that holds all connections to
 * PostgreSQL (`tests/integration/request-floods.test.ts`).
 */
import { AppError } from '../http/errors.ts';
import { getClientKey } from './client-key.ts';

/**
 * Runs the work of a request; what exceeds what may be under way of the same client, or of what else is counted, waits
 * its turn.
 * @throws AppError rate-limited, before the work has begun, when too many wait already
 */
export type RunLimited = <Result>(address: string, work: () => Promise<Result>) => Promise<Result>;

interface ConcurrencyLimit {
  readonly maxAtOnce: number;
  /** 0: what exceeds the limit is refused at once. */
  readonly maxWaiting: number;
  /** What requests are counted by, from the address of one; the client unless given. */
  readonly getKey?: (address: string) => string;
}

const RETRY_AFTER_SECONDS = 2;

interface Client {
  underWay: number;
  /** Each begins the work of one; the first to come is next. */
  readonly waiting: Array<() => void>;
}

/**
 * Counts work from beginning to end, in one process: a client that disconnects meanwhile frees no place. Of work with
 * `withDatabaseTimeout` the timeout is the end.
 */
export function limitConcurrency({ maxAtOnce, maxWaiting, getKey = getClientKey }: ConcurrencyLimit): RunLimited {
  const clients = new Map<string, Client>();

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
    // Who waits gets the place of one that ends, which is not counted anew.
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
