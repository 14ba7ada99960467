import { expect, test } from 'vitest';
import { poolSizes } from '../../shared/node/database/database.ts';

test('three web processes, a fourth replacing one of them, four workers and the tools use at most 100 connections', () => {
  const { web, worker, retention, ops } = poolSizes;
  const migrations = 3;
  /** PostgreSQL's default `superuser_reserved_connections`. */
  const reserved = 3;

  expect(4 * web + 4 * (worker + retention) + migrations + ops + reserved).toBeLessThanOrEqual(100);
});
