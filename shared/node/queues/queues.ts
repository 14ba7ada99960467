import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { createProducerConnection, createWorkerConnection, type Redis } from '../redis/connections.ts';
import type { DeliveryQueue, JobProcessor, QueueWorker, QueueWorkerOptions } from './bullmq.ts';

/** Milliseconds a command of a producer may wait for Redis; repeating it does no harm. */
const COMMAND_TIMEOUT = 5 * Second;

/** BullMQ's queues on Redis, which may be away at any time. Without REDIS_URL there are none. */
export interface Queues {
  /** False while adding a job would have to wait for a connection. */
  readonly isReady: () => boolean;
  /** Loads BullMQ, so that the first job does not wait for it. */
  readonly preload: () => Promise<void>;
  readonly openQueue: (name: string) => Promise<DeliveryQueue>;
  readonly startWorker: (
    name: string,
    processor: JobProcessor,
    options: QueueWorkerOptions,
  ) => Promise<QueueWorker>;
  readonly close: () => Promise<void>;
}

/** BullMQ is two hundred files, which a web needs for its first job and not for its first page. */
const loadBullmq = () => import('./bullmq.ts');

/** Connects to Redis in the background; neither this nor a later outage of Redis throws. */
export function connectQueues(redisUrl: string, logger: Logger): Queues {
  const producer = createProducerConnection(redisUrl, logger, COMMAND_TIMEOUT);
  const workerConnections: Redis[] = [];

  return {
    isReady: () => producer.status === 'ready',
    preload: async () => void (await loadBullmq()),
    openQueue: async (name) => (await loadBullmq()).openQueue(name, producer),
    startWorker: async (name, processor, options) => {
      const { startQueueWorker } = await loadBullmq();
      const connection = createWorkerConnection(redisUrl, logger);
      workerConnections.push(connection);

      return startQueueWorker({ name, connection, logger }, processor, options);
    },
    close: async () => {
      for (const connection of [producer, ...workerConnections]) connection.disconnect();
    },
  };
}
