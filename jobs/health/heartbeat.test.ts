import { expect, test } from 'vitest';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { MAX_HEARTBEAT_AGE } from './heartbeat.ts';

test('a worker counts as hanging later than its longest sweep ends, and before it ends itself', () => {
  const { sweep, queueCheck, lease, hang } = productionTimings;
  const longestSweep = queueCheck + sweep + lease;

  expect(MAX_HEARTBEAT_AGE).toBeGreaterThan(sweep + longestSweep);
  expect(MAX_HEARTBEAT_AGE).toBeLessThan(hang);
});
