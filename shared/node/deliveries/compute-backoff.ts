import type { Backoff } from '../config/timings.ts';

/**
 * Wait before try number `attempts + 1`, in milliseconds: doubling from `first`, at most `cap`,
 * with up to a quarter taken off at random so that what failed together is not retried together.
 */
export function computeBackoff(
  attempts: number,
  { first, cap }: Backoff,
  random: () => number = Math.random,
): number {
  const full = Math.min(cap, first * 2 ** Math.min(Math.max(0, attempts - 1), 30));

  return Math.round(full * (1 - random() / 4));
}
