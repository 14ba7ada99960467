import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import type { QueuedJob } from '../../shared/node/queues/job-queue.ts';
import { createQueueBackend } from '../../shared/node/queues/queue-backend.ts';
import { Hour } from '../../shared/time.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { waitFor } from '../support/wait-for.ts';

async function startRedis(): Promise<string> {
  const redis = await createRedisServer();
  onTestFinished(() => redis.remove());
  await redis.start();

  return redis.url;
}

/** A queue of its own on Redis or on PostgreSQL, and what carries out its jobs. */
async function openQueue(place: string) {
  const backend = await createQueueBackend({
    databaseUrl: await createMigratedDatabase(),
    redisUrl: place === 'Redis' ? await startRedis() : undefined,
    logger: createLogger({ level: 'silent', process: 'test' }),
  });
  await waitFor('the queue', backend.isReady);
  const queue = await backend.openQueue('follow-up');
  onTestFinished(async () => {
    await queue.close();
    await backend.close();
  });

  return { queue, backend };
}

function makeJob(delayMs: number, priority = 0): QueuedJob {
  const deliveryId = randomUUID();

  return { id: `delivery-${deliveryId}`, data: { deliveryId }, delayMs, priority };
}

test.each(['Redis', 'PostgreSQL'])(
  'on %s a job put off by a wrong clock counts as missing once its time is now, and can be added again',
  async (place) => {
    const { queue } = await openQueue(place);
    const job = makeJob(25 * Hour);
    expect(await queue.findMissing([job])).toEqual([job]);
    await queue.add([job]);
    expect(await queue.findMissing([job])).toEqual([]);

    const due = { ...job, delayMs: 0 };
    expect(await queue.findMissing([due])).toEqual([due]);
    await queue.add([due]);

    expect(await queue.findMissing([due])).toEqual([]);
  },
);

test.each(['Redis', 'PostgreSQL'])(
  'on %s the lowest priority goes first, also of jobs that were put off, and at a pace',
  async (place) => {
    const { queue, backend } = await openQueue(place);
    // They are due before the worker starts, so that it finds a backlog of all.
    const late = [makeJob(1), makeJob(1, 7)];
    const backlog = [makeJob(0, 5), makeJob(0, 6)];
    const first = makeJob(0);
    await queue.add(late);
    for (const job of backlog) await queue.add([job]);
    await queue.add([first]);
    const done: unknown[] = [];
    const worker = await backend.startWorker(
      'follow-up',
      async (data) => {
        done.push(data);

        return undefined;
      },
      { concurrency: 1, lockDuration: 30_000, stalledInterval: 30_000, pace: 20 },
    );
    onTestFinished(() => worker.close());
    await waitFor('all jobs', () => done.length === 5);

    expect(new Set(done.slice(0, 2))).toEqual(new Set([first.data, late[0]?.data]));
    expect(done.slice(2)).toEqual([...backlog, late[1]].map((job) => job?.data));
  },
);
