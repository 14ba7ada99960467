import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { createProducerConnection, createWorkerConnection, type Redis } from '../redis/connections.ts';
import type { JobProcessor, QueueWorkerOptions } from './bullmq.ts';

/** Longest wait of a producer's command. Repeating a command is harmless. */
const COMMAND_TIMEOUT = 5 * Second;

/** BullMQ's queues on Redis, which may be unreachable at any time. */
export type Queues = ReturnType<typeof connectQueues>;

/** Loads BullMQ's two hundred files later, so that web can serve its first page earlier. */
const loadBullmq = () => import('./bullmq.ts');

/** Connects to Redis in the background. Outages don't throw. */
export function connectQueues(redisUrl: string, logger: Logger) {
  const producer = createProducerConnection(redisUrl, logger, COMMAND_TIMEOUT);
  const workerConnections: Redis[] = [];

  return {
    /** Whether there is a connection, so that adding a job doesn't wait. */
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
