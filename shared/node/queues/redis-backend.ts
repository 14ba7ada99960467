import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import type { Logger } from '../logger.ts';
import { adaptQueue, adaptWorker, jobOptions, makeProcessor, makeWorkerOptions, trackRunning } from './bullmq-adapter.ts';
import type { QueueBackend } from './job-queue.ts';

const sharedOptions = {
  connectTimeout: 5 * Second,
  keepAlive: 10 * Second,
  retryStrategy: (attempt: number) => Math.min(attempt * 200, 2 * Second),
  // After a failover the old primary answers READONLY until the connection is made anew.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
};

/** Tells once when Redis goes away or refuses, and once when it is back. */
function reportOutages(connection: Redis, logger: Logger): Redis {
  let isAway = false;
  connection.on('error', (error) => {
    if (!isAway) logger.warn({ err: error }, 'Redis is away or refuses the connection.');
    isAway = true;
  });
  connection.on('ready', () => {
    if (isAway) logger.info('Redis is back.');
    isAway = false;
  });

  return connection;
}

/** For adding jobs: fails at once while Redis is away. */
function connectProducer(url: string): Redis {
  return new Redis(url, {
    ...sharedOptions,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 1,
    socketTimeout: 2 * Second,
  });
}

/** For workers: waits for Redis as long as it takes. */
function connectWorker(url: string): Redis {
  return new Redis(url, {
    ...sharedOptions,
    maxRetriesPerRequest: null,
    // Longer than a worker's blocking wait; ends a connection that went silent.
    socketTimeout: 30 * Second,
  });
}

/** Jobs on Redis through ioredis. Redis may be away at any time, also now. */
export function createRedisBackend(url: string, logger: Logger): QueueBackend {
  const producer = reportOutages(connectProducer(url), logger);
  const workerConnections: Redis[] = [];

  return {
    isReady: () => producer.status === 'ready',
    openQueue: (name) => {
      const queue = new Queue<DeliveryJob>(name, {
        connection: producer,
        defaultJobOptions: jobOptions,
      });
      // Told by the connection already.
      queue.on('error', () => undefined);

      return adaptQueue(queue);
    },
    startWorker: (name, handle, settings) => {
      const connection = reportOutages(connectWorker(url), logger);
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
