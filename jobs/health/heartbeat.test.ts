import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { Second } from '../../shared/time.ts';
import { startHeartbeat } from './heartbeat.ts';

test('the container’s health check tolerates the longest sweep and fails before the worker exits on its own', () => {
  const { sweep, queueCheck, lease, hang } = productionTimings;
  const longestSweep = queueCheck + sweep + lease;
  const [, age] = /beat -newermt '-(\d+) seconds'/.exec(readFileSync('docker-compose.yml', 'utf8')) ?? [];

  expect(Number(age) * Second).toBeGreaterThan(sweep + longestSweep);
  expect(Number(age) * Second).toBeLessThan(hang);
});

test('only the worker’s user can write to the heartbeat’s folder', async () => {
  const shared = mkdtempSync(join(tmpdir(), 'shared-'));
  vi.stubEnv('TMPDIR', shared);
  const logger = createLogger({ level: 'silent', process: 'test' });
  const heartbeat = startHeartbeat(productionTimings.hang, logger, () => Promise.resolve());
  onTestFinished(() => {
    heartbeat.stop();
    vi.unstubAllEnvs();
    rmSync(shared, { recursive: true });
  });

  await heartbeat.beat();

  const [folder = '', ...others] = readdirSync(shared);
  expect(others).toEqual([]);
  expect(statSync(join(shared, folder)).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(shared, folder))).toEqual(['beat']);
});
