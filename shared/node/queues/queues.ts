import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { createProducerConnection, createWorkerConnection, type Redis } from '../redis/connections.ts';
import type { JobProcessor, QueueWorkerOptions } from './bullmq.ts';

/** Timeout for a producer's command. Repeating a command is harmless. */
const COMMAND_TIMEOUT = 5 * Second;

/** BullMQ's queues on Redis, which may be unreachable at any time. */
export type Queues = ReturnType<typeof connectQueues>;

/** BullMQ has two hundred files. Loading them on demand lets web serve its first page sooner. */
const loadBullmq = () => import('./bullmq.ts');

/** Connects to Redis in the background. Outages don't throw. */
export function connectQueues(redisUrl: string, logger: Logger) {
  const producer = createProducerConnection(redisUrl, logger, COMMAND_TIMEOUT);
  const workerConnections: Redis[] = [];

  return {
    /** Whether Redis is connected, so that adding a job won't wait. */
    isReady: (): boolean => producer.status === 'ready',
    /** Loads BullMQ before the first job. */
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
