import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { MAX_HEARTBEAT_AGE, readHeartbeatAge, startHeartbeat } from './heartbeat.ts';

test('a worker counts as hanging later than its longest sweep ends, and before it ends itself', () => {
  const { sweep, queueCheck, lease, hang } = productionTimings;
  const longestSweep = queueCheck + sweep + lease;

  expect(MAX_HEARTBEAT_AGE).toBeGreaterThan(sweep + longestSweep);
  expect(MAX_HEARTBEAT_AGE).toBeLessThan(hang);
});

/** A heartbeat in a temporary folder that everybody may write to, and another such folder. */
function setUpHeartbeat() {
  const [shared = '', other = ''] = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'heartbeat-')));
  chmodSync(shared, 0o1777);
  vi.stubEnv('TMPDIR', shared);
  const heartbeat = startHeartbeat(productionTimings.hang, createLogger({ level: 'silent', process: 'test' }), () => Promise.resolve());
  onTestFinished(() => {
    heartbeat.stop();
    vi.unstubAllEnvs();
    for (const folder of [shared, other]) rmSync(folder, { recursive: true });
  });

  return { heartbeat, shared, other };
}

test('the heartbeat is in a folder that only the worker’s user can write to', async () => {
  const { heartbeat, shared } = setUpHeartbeat();
  expect(await readHeartbeatAge()).toBe(Number.POSITIVE_INFINITY);

  await heartbeat.beat();

  const [name = '', ...others] = readdirSync(shared);
  expect(others).toEqual([]);
  expect(statSync(join(shared, name)).mode & 0o777).toBe(0o700);
  expect(await readHeartbeatAge()).toBeLessThan(MAX_HEARTBEAT_AGE);
  heartbeat.stop();
  expect(await readHeartbeatAge()).toBe(Number.POSITIVE_INFINITY);
});

test('a folder that others can write to, or a link in its place, is refused', async () => {
  const { heartbeat, shared, other } = setUpHeartbeat();
  await heartbeat.beat();
  const [name = ''] = readdirSync(shared);
  const folder = join(shared, name);
  const makeLink = () => symlinkSync(other, folder);
  const makeOpenFolder = () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
  };

  for (const prepare of [makeLink, makeOpenFolder]) {
    rmSync(folder, { recursive: true });
    prepare();

    await expect(heartbeat.beat()).rejects.toThrow(`${folder} is not a folder that only user`);
    await expect(readHeartbeatAge()).rejects.toThrow(folder);
    expect([...readdirSync(folder), ...readdirSync(other)]).toEqual([]);
  }
});
