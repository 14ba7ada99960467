import { DelayedError, type DefaultJobOptions, type Job, type Queue } from 'bullmq';
import { Day, Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import type {
  JobHandler,
  JobQueue,
  JobResult,
  JobWorker,
  QueuedJob,
  WorkerSettings,
} from './job-queue.ts';

/** PostgreSQL decides what is done or dead, so finished jobs leave nothing that blocks their id. */
export const jobOptions: DefaultJobOptions = {
  removeOnComplete: true,
  removeOnFail: true,
  // Tries when the database can't be asked; after them the sweep makes the job anew.
  attempts: 5,
  backoff: { type: 'exponential', delay: 1 * Second, jitter: 0.5 },
};

/** A crash of the worker says nothing of the job: the delivery's own count decides. */
const MAX_STALLED_COUNT = 1_000_000;

const MAX_DELAY = 365 * Day;

type BullQueue = Pick<Queue, 'name' | 'add' | 'getJobState' | 'remove' | 'close'>;

/** Whether the job has to be added; see `findMissing`. */
async function isMissing(queue: BullQueue, { id, delayMs }: QueuedJob): Promise<boolean> {
  const state = await queue.getJobState(id);
  if (state !== 'delayed' || delayMs > 0) return ['unknown', 'completed', 'failed'].includes(state);
  // One that a worker has just begun stays, and adding it again changes nothing.
  await queue.remove(id);

  return true;
}

/** Gives a BullMQ queue, on whatever backend, the few calls the product makes. */
export function adaptQueue(queue: BullQueue): JobQueue {
  return {
    // Not `addBulk`: the pipeline it opens costs ioredis more than the commands it saves.
    add: async (jobs) => {
      await Promise.all(
        jobs.map(({ id, data, delayMs, priority }) =>
          queue.add(queue.name, data, {
            jobId: id,
            priority,
            delay: Math.min(Math.max(0, Math.ceil(delayMs)), MAX_DELAY),
          }),
        ),
      );
    },
    findMissing: async (jobs) => {
      const answers = await Promise.all(jobs.map((job) => isMissing(queue, job)));

      return jobs.filter((_, index) => answers[index]);
    },
    remove: async (id) => {
      await queue.remove(id);
    },
    close: () => queue.close(),
  };
}

/** The processor BullMQ calls: a job that isn't finished moves to its next time, uncounted. */
export function makeProcessor(handle: JobHandler) {
  return async (job: Pick<Job, 'data' | 'moveToDelayed'>, token?: string): Promise<void> => {
    const result = await handle(job.data);
    if (!result) return;

    await job.moveToDelayed(Date.now() + Math.ceil(result.retryInMs), token);
    throw new DelayedError();
  };
}

export function makeWorkerOptions({ pace, ...settings }: WorkerSettings) {
  return {
    ...settings,
    ...(pace > 0 ? { limiter: { max: 1, duration: pace } } : {}),
    maxStalledCount: MAX_STALLED_COUNT,
  };
}

/** What is used of BullMQ's worker, whose type depends on the backend. */
interface BullWorker {
  readonly name: string;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: { id?: string } | undefined, error: Error) => void): unknown;
  close(force?: boolean): Promise<void>;
}

/** Remembers which calls of `handle` are under way, so that an end can wait for them. */
export function trackRunning(handle: JobHandler) {
  const running = new Set<Promise<JobResult>>();

  return {
    handle: (data: unknown): Promise<JobResult> => {
      const call = handle(data);
      running.add(call);
      call.finally(() => running.delete(call)).catch(() => undefined);

      return call;
    },
    untilIdle: async (): Promise<void> => {
      await Promise.allSettled(running);
    },
  };
}

/**
 * @param untilIdle waits for the jobs that run
 * @param isAway whether the queue can't be told that the worker ends; it then isn't waited for
 */
export function adaptWorker(
  worker: BullWorker,
  logger: Logger,
  { untilIdle, isAway }: { untilIdle: () => Promise<void>; isAway: () => boolean },
): JobWorker {
  worker.on('error', (error) => {
    logger.debug({ err: error, queue: worker.name }, 'The queue is away.');
  });
  worker.on('failed', (job, error) => {
    logger.warn({ err: error, queue: worker.name, jobId: job?.id }, 'A job could not be handled.');
  });

  return {
    close: async () => {
      await worker.close(isAway());
      await untilIdle();
    },
  };
}
