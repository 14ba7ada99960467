import { DelayedError, Queue, Worker, type DefaultJobOptions, type Job } from 'bullmq';
import type { DeliveryJob } from '../../deliveries/delivery.ts';
import { Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import type { Redis } from '../redis/connections.ts';

export type DeliveryQueue = Queue<DeliveryJob>;

/** Milliseconds until the job runs again, or undefined if it is completed. */
export type JobResult = { readonly retryInMs: number } | undefined;

export type JobProcessor = (data: unknown) => Promise<JobResult>;

/** At most `max` jobs per `duration` milliseconds, for BullMQ's `limiter`. */
export interface JobRateLimit {
  readonly max: 1;
  readonly duration: number;
}

export interface QueueWorkerOptions {
  readonly concurrency: number;
  /** How long a job stays locked after its worker stops renewing the lock. */
  readonly lockDuration: number;
  /** How often the worker looks for jobs with an expired lock. */
  readonly stalledInterval: number;
  /** Shared by all the queue's workers. */
  readonly limiter: JobRateLimit | undefined;
}

/** Finished jobs are removed, so that their ids can be reused. PostgreSQL stores the state of deliveries. */
const jobOptions: DefaultJobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  // Covers PostgreSQL outages. After the last attempt, the sweep queues the job again.
  attempts: 5,
  backoff: { type: 'exponential', delay: 1 * Second, jitter: 0.5 },
};

/** Effectively no limit, because the delivery itself counts lost attempts. */
const MAX_STALLED_COUNT = 1_000_000;

/** Opens a queue. Its connection logs outages. */
export function openQueue(name: string, connection: Redis): DeliveryQueue {
  const queue = new Queue<DeliveryJob>(name, {
    connection,
    defaultJobOptions: jobOptions,
  });
  queue.on('error', () => undefined);

  return queue;
}

/** Tracks running jobs, so that a shutdown can wait for them. */
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

/** Makes BullMQ's processor. It delays a job to retry it, which doesn't count as an attempt. */
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

/** Processes a queue's jobs. */
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
  worker.on('error', (error) => logger.debug({ err: error, queue: name }, 'The queue is unreachable.'));
  worker.on('failed', (job, error) => {
    logger.warn({ err: error, queue: name, jobId: job?.id }, 'A job could not be processed.');
  });

  return {
    /** Stops accepting jobs and waits for running ones. */
    close: async (): Promise<void> => {
      // Force the close if Redis is unreachable. Otherwise BullMQ would wait for Redis.
      await worker.close(connection.status !== 'ready');
      await untilIdle();
    },
  };
}
