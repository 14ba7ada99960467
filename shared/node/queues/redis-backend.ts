import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { createProducerConnection, createWorkerConnection, type Redis } from '../redis/connections.ts';
import type { QueueBackend } from './job-queue.ts';

/** Milliseconds adding or looking for jobs may wait for an answer; repeating it does no harm. */
const PATIENCE = 5 * Second;

/** BullMQ is two hundred files, which a web needs for its first job and not for its first page. */
const loadBullmq = async () => ({
  ...(await import('./bullmq-adapter.ts')),
  ...(await import('./redis-queues.ts')),
});

/** Jobs on Redis through ioredis. Redis may be away at any time, also now. */
export function createRedisBackend(url: string, logger: Logger): QueueBackend {
  const producer = createProducerConnection(url, logger, PATIENCE);
  const workerConnections: Redis[] = [];

  return {
    isReady: () => producer.status === 'ready',
    ping: () => producer.ping(),
    prepare: loadBullmq,
    openQueue: async (name) => {
      const { adaptQueue, openRedisQueue } = await loadBullmq();

      return adaptQueue(openRedisQueue(name, producer));
    },
    openInspectedQueue: async (name) => (await loadBullmq()).openRedisQueue(name, producer),
    startWorker: async (name, handle, settings) => {
      const { startRedisWorker } = await loadBullmq();
      const connection = createWorkerConnection(url, logger);
      workerConnections.push(connection);

      return startRedisWorker({ name, connection, logger }, handle, settings);
    },
    close: async () => {
      for (const connection of [producer, ...workerConnections]) connection.disconnect();
    },
  };
}
