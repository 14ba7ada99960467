import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { createRedisServer, type RedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';
import { faultRow } from './fault-row.ts';

const BATCH = 2_000;
/** Jobs after which memory may no longer grow, and all jobs; the result holds for 100,000 as well. */
const SETTLED = 4_000;
const ALL = 12_000;
const WHOLE = 100_000;
const MAX_BYTES = 50 * 1024 * 1024;

async function readMemory(redis: RedisServer): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
}

faultRow(62, 'Redis’s memory over 100,000 jobs: flat, below 50 MB', async () => {
  const redis = await createRedisServer();
  onTestFinished(() => redis.remove());
  await redis.start();
  const logger = createLogger({ level: 'silent', process: 'test' });
  const queues = connectQueues(redis.url, logger);
  const scheduler = createDeliveryScheduler(queues);
  let done = 0;
  const worker = await queues.startWorker('follow-up', async () => void (done += 1), {
    concurrency: 50,
    lockDuration: 30_000,
    stalledInterval: 30_000,
    limiter: undefined,
  });
  onTestFinished(async () => {
    await worker.close();
    await scheduler.close();
    await queues.close();
  });
  await waitFor('the queue', queues.isReady);
  const atStart = await readMemory(redis);
  let settled = 0;

  for (let added = BATCH; added <= ALL; added += BATCH) {
    const ids = Array.from({ length: BATCH }, () => randomUUID());
    await scheduler.schedule(ids.map((id) => ({ id, kind: 'follow-up', delayMs: 0 })));
    await waitFor('the jobs', () => done === added, 120_000);
    if (added === SETTLED) settled = await readMemory(redis);
  }

  const growth = ((await readMemory(redis)) - settled) / (ALL - SETTLED);
  expect(settled - atStart + Math.max(0, growth) * (WHOLE - SETTLED)).toBeLessThan(MAX_BYTES);
  expect(growth).toBeLessThan(50);
  // Nothing is left of the jobs themselves; the stream of their events is trimmed.
  const keys = (await redis.command('KEYS', '*')) as string[];
  expect(keys.filter((key) => key.includes('delivery-'))).toEqual([]);
  expect(await redis.command('XLEN', 'bull:follow-up:events')).toBeLessThan(15_000);
});
