import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { Hour } from '../../shared/time.ts';
import { openQueues } from '../support/queues.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

/** Sets up queues on a separate Redis, and a scheduler for their deliveries. */
async function openOwnQueues() {
  const redis = await createRedisServer();
  onTestFinished(() => redis.remove());
  await redis.start();

  return { redis, ...(await openQueues(redis.url)) };
}

const makeDelivery = (delayMs: number): ScheduledDelivery => ({ id: randomUUID(), kind: 'follow-up', delayMs });

test('a job that a wrong clock delayed counts as missing once its delivery is due, and is added again', async () => {
  const { scheduler } = await openOwnQueues();
  const delivery = makeDelivery(25 * Hour);
  expect(await scheduler.findUnscheduled([delivery])).toEqual([delivery]);
  await scheduler.schedule([delivery]);
  expect(await scheduler.findUnscheduled([delivery])).toEqual([]);

  const due = { ...delivery, delayMs: 0 };
  expect(await scheduler.findUnscheduled([due])).toEqual([due]);
  await scheduler.schedule([due]);

  expect(await scheduler.findUnscheduled([due])).toEqual([]);
});

test('a queue is opened on first use and reused, and is reopened after a failure', async () => {
  const { redis, queues } = await openOwnQueues();
  const opened: string[] = [];
  const closings: Array<() => unknown> = [];
  const scheduler = createDeliveryScheduler({
    ...queues,
    openQueue: async (kind) => {
      opened.push(kind);
      if (opened.length === 1) throw new Error('Redis is down.');
      const queue = await queues.openQueue(kind);
      closings.push(vi.spyOn(queue, 'close'));

      return queue;
    },
  });
  const [delivery, other] = [makeDelivery(Hour), makeDelivery(Hour)];
  await expect(scheduler.schedule([delivery])).rejects.toThrow('Redis is down.');
  await redis.command('config', 'set', 'maxmemory', '1');
  await expect(scheduler.schedule([delivery])).rejects.toThrow('OOM');
  await redis.command('config', 'set', 'maxmemory', '0');
  await scheduler.schedule([delivery, other]);
  expect(await scheduler.findUnscheduled([delivery, other])).toEqual([]);
  expect(opened).toEqual(['follow-up', 'follow-up', 'follow-up']);

  expect(closings[0]).toHaveBeenCalledOnce();
  await scheduler.close();
  expect(closings[1]).toHaveBeenCalledOnce();
});

test('due jobs run one at a time, in order and within the rate limit, while a delayed job waits', async () => {
  const { queues, scheduler } = await openOwnQueues();
  const deliveries = [makeDelivery(0), makeDelivery(0), makeDelivery(0), makeDelivery(0)];
  await scheduler.schedule([makeDelivery(Hour)]);
  for (const delivery of deliveries) await scheduler.schedule([delivery]);
  const processed: unknown[] = [];
  const startedAt = performance.now();
  const worker = await queues.startWorker(
    'follow-up',
    async (data) => {
      processed.push(data);

      return undefined;
    },
    { concurrency: 1, lockDuration: 30_000, stalledInterval: 30_000, limiter: { max: 1, duration: 100 } },
  );
  onTestFinished(() => worker.close());
  await waitFor('the due jobs', () => processed.length === 4);

  expect(performance.now() - startedAt).toBeGreaterThan(250);
  expect(processed).toEqual(deliveries.map(({ id }) => ({ deliveryId: id })));
});
