import { Queue, Worker } from 'bullmq';
import { Second } from '../../time.ts';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import type { Logger } from '../logger.ts';
import { connectImpatiently, connectPatiently, type Redis } from '../redis/connect-redis.ts';
import { adaptQueue, adaptWorker, jobOptions, makeProcessor, makeWorkerOptions, trackRunning } from './bullmq-adapter.ts';
import type { QueueBackend } from './job-queue.ts';

/** Milliseconds adding or looking for jobs may wait for an answer; repeating it does no harm. */
const PATIENCE = 5 * Second;

/** Jobs on Redis through ioredis. Redis may be away at any time, also now. */
export function createRedisBackend(url: string, logger: Logger): QueueBackend {
  const producer = connectImpatiently(url, logger, PATIENCE);
  const workerConnections: Redis[] = [];
  const openQueue = (name: string) => {
    const queue = new Queue<DeliveryJob>(name, {
      connection: producer,
      defaultJobOptions: jobOptions,
    });
    // Told by the connection already.
    queue.on('error', () => undefined);

    return queue;
  };

  return {
    isReady: () => producer.status === 'ready',
    ping: () => producer.ping(),
    openQueue: (name) => adaptQueue(openQueue(name)),
    openInspectedQueue: openQueue,
    startWorker: (name, handle, settings) => {
      const connection = connectPatiently(url, logger);
      workerConnections.push(connection);
      const tracked = trackRunning(handle);
      const worker = new Worker(name, makeProcessor(tracked.handle), {
        connection,
        ...makeWorkerOptions(settings),
      });

      return adaptWorker(worker, logger, {
        untilIdle: tracked.untilIdle,
        isAway: () => connection.status !== 'ready',
      });
    },
    close: async () => {
      for (const connection of [producer, ...workerConnections]) connection.disconnect();
    },
  };
}
