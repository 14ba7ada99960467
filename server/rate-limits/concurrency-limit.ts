import { AppError } from '../http/errors.ts';
import { getClientKey } from './client-key.ts';

/**
 * Runs the work of a request unless too many of the same client, or of what else is counted, are under way.
 * @throws AppError rate-limited, before the work has begun
 */
export type RunLimited = <Result>(address: string, work: () => Promise<Result>) => Promise<Result>;

const RETRY_AFTER_SECONDS = 2;

/**
 * Counts work from beginning to end, in one process: a client that disconnects meanwhile frees no slot.
 * @param getKey what requests are counted by, from the address of one
 */
export function limitConcurrency(maxAtOnce: number, getKey = getClientKey): RunLimited {
  const underWay = new Map<string, number>();

  return async (address, work) => {
    const key = getKey(address);
    const count = underWay.get(key) ?? 0;
    if (count >= maxAtOnce) {
      throw new AppError(
        'rate-limited',
        'Too many requests from your network at once. Please try again in a few seconds.',
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    }

    underWay.set(key, count + 1);
    try {
      return await work();
    } finally {
      const left = (underWay.get(key) ?? 1) - 1;
      if (left > 0) underWay.set(key, left);
      else underWay.delete(key);
    }
  };
}
