import { expect, test } from 'vitest';
import { computeBackoff } from './compute-backoff.ts';

const limits = { first: 30_000, cap: 3_600_000 };

test('the wait doubles with every try and stops at the cap', () => {
  const waits = [1, 2, 3, 8, 100].map((attempts) => computeBackoff(attempts, limits, () => 0));

  expect(waits).toEqual([30_000, 60_000, 120_000, 3_600_000, 3_600_000]);
});

test('chance shortens a wait by at most a quarter', () => {
  expect(computeBackoff(1, limits, () => 1)).toBe(22_500);
});
