import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../shared/node/logger.ts';
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

/** A queue of its own on Redis or on PostgreSQL. */
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

  return queue;
}

function makeJob(delayMs: number): QueuedJob {
  const deliveryId = randomUUID();

  return { id: `delivery-${deliveryId}`, data: { deliveryId }, delayMs };
}

test.each(['Redis', 'PostgreSQL'])(
  'on %s a job put off by a wrong clock counts as missing once its time is now, and can be added again',
  async (place) => {
    const queue = await openQueue(place);
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
