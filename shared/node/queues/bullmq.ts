import { DelayedError, Queue, Worker, type DefaultJobOptions, type Job } from 'bullmq';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import type { Redis } from '../redis/connections.ts';

export type DeliveryQueue = Queue<DeliveryJob>;

/** Milliseconds to wait before the job runs again, or undefined when it is completed. */
export type JobResult = { readonly retryInMs: number } | undefined;

export type JobProcessor = (data: unknown) => Promise<JobResult>;

/** At most `max` jobs in `duration` milliseconds; BullMQ's `limiter`. */
export interface JobRateLimit {
  readonly max: 1;
  readonly duration: number;
}

export interface QueueWorkerOptions {
  readonly concurrency: number;
  /** How long a job stays with a worker that no longer renews its lock. */
  readonly lockDuration: number;
  /** How often jobs whose lock expired are looked for. */
  readonly stalledInterval: number;
  /** Over all workers of the queue. */
  readonly limiter: JobRateLimit | undefined;
}

export type QueueWorker = ReturnType<typeof startQueueWorker>;

/** PostgreSQL decides what is sent or dead, so finished jobs leave nothing that blocks their id. */
const jobOptions: DefaultJobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  // Attempts while the database can't be asked; after them the sweep queues the job again.
  attempts: 5,
  backoff: { type: 'exponential', delay: 1 * Second, jitter: 0.5 },
};

/** A crash of the worker says nothing of the job: the delivery's own count decides. */
const MAX_STALLED_COUNT = 1_000_000;

/** Opens a queue on a connection that logs its outages itself. */
export function openQueue(name: string, connection: Redis): DeliveryQueue {
  const queue = new Queue<DeliveryJob>(name, {
    connection,
    defaultJobOptions: jobOptions,
  });
  queue.on('error', () => undefined);

  return queue;
}

/** Remembers which jobs are being processed, so that a shutdown can wait for them. */
function trackRunning(processor: JobProcessor) {
  const running = new Set<Promise<JobResult>>();

  return {
    process: (data: unknown): Promise<JobResult> => {
      const run = processor(data);
      running.add(run);
      run.finally(() => running.delete(run)).catch(() => undefined);

      return run;
    },
    untilIdle: async (): Promise<void> => {
      await Promise.allSettled(running);
    },
  };
}

/** BullMQ's processor: a job that isn't completed is delayed, which costs it no attempt. */
const makeProcessor =
  (process: JobProcessor) =>
  async (job: Pick<Job, 'data' | 'moveToDelayed'>, token?: string): Promise<void> => {
    const result = await process(job.data);
    if (!result) return;

    await job.moveToDelayed(Date.now() + Math.ceil(result.retryInMs), token);
    throw new DelayedError();
  };

interface QueueWorkerServices {
  readonly name: string;
  readonly connection: Redis;
  readonly logger: Logger;
}

/** Processes the jobs of a queue, over a connection that waits for Redis. */
export function startQueueWorker(
  { name, connection, logger }: QueueWorkerServices,
  processor: JobProcessor,
  { limiter, ...options }: QueueWorkerOptions,
) {
  const { process, untilIdle } = trackRunning(processor);
  const worker = new Worker(name, makeProcessor(process), {
    connection,
    ...options,
    ...(limiter && { limiter }),
    maxStalledCount: MAX_STALLED_COUNT,
  });
  worker.on('error', (error) => logger.debug({ err: error, queue: name }, 'The queue is away.'));
  worker.on('failed', (job, error) => {
    logger.warn({ err: error, queue: name, jobId: job?.id }, 'A job could not be processed.');
  });

  return {
    /** Takes no more jobs and waits for those that run. */
    close: async (): Promise<void> => {
      // While Redis is away BullMQ would wait for it: then only the running jobs are waited for.
      await worker.close(connection.status !== 'ready');
      await untilIdle();
    },
  };
}
