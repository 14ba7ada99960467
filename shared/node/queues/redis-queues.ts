import { Queue, Worker } from 'bullmq';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import type { Logger } from '../logging/logger.ts';
import type { Redis } from '../redis/connections.ts';
import { adaptWorker, jobOptions, makeProcessor, makeWorkerOptions, trackRunning } from './bullmq-adapter.ts';
import type { JobHandler, JobWorker, WorkerSettings } from './job-queue.ts';

/** BullMQ's own queue, on a connection that tells of its outages itself. */
export function openRedisQueue(name: string, connection: Redis): Queue<DeliveryJob> {
  const queue = new Queue<DeliveryJob>(name, { connection, defaultJobOptions: jobOptions });
  queue.on('error', () => undefined);

  return queue;
}

/** Takes jobs over a connection that waits for Redis. */
export function startRedisWorker(
  { name, connection, logger }: { name: string; connection: Redis; logger: Logger },
  handle: JobHandler,
  settings: WorkerSettings,
): JobWorker {
  const tracked = trackRunning(handle);
  const worker = new Worker(name, makeProcessor(tracked.handle), {
    connection,
    ...makeWorkerOptions(settings),
  });

  return adaptWorker(worker, logger, {
    untilIdle: tracked.untilIdle,
    isAway: () => connection.status !== 'ready',
  });
}
