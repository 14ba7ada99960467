import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { createProducerConnection, createWorkerConnection, type Redis } from '../redis/connections.ts';
import type { JobProcessor, QueueWorkerOptions } from './bullmq.ts';

/** Milliseconds a command of a producer may wait for Redis; repeating it does no harm. */
const COMMAND_TIMEOUT = 5 * Second;

/** BullMQ's queues on Redis, which may be away at any time. Without REDIS_URL there are none. */
export type Queues = ReturnType<typeof connectQueues>;

/** BullMQ is two hundred files, which a web needs for its first job and not for its first page. */
const loadBullmq = () => import('./bullmq.ts');

/** Connects to Redis in the background; neither this nor a later outage of Redis throws. */
export function connectQueues(redisUrl: string, logger: Logger) {
  const producer = createProducerConnection(redisUrl, logger, COMMAND_TIMEOUT);
  const workerConnections: Redis[] = [];

  return {
    /** False while adding a job would have to wait for a connection. */
    isReady: (): boolean => producer.status === 'ready',
    /** Loads BullMQ, so that the first job does not wait for it. */
    preload: async () => void (await loadBullmq()),
    openQueue: async (name: string) => (await loadBullmq()).openQueue(name, producer),
    startWorker: async (name: string, processor: JobProcessor, options: QueueWorkerOptions) => {
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
