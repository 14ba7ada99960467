import type { Queue } from 'bullmq';
import type { DeliveryJob } from '../../deliveries/delivery.ts';

export interface QueuedJob {
  readonly id: string;
  readonly data: DeliveryJob;
  /** Milliseconds from now. */
  readonly delayMs: number;
  /** Of jobs that wait the lowest goes first; those of 0 before all others, in their order. */
  readonly priority: number;
}

/** A queue as web and sweep use it. */
export interface JobQueue {
  /** Adds jobs; one whose id is in the queue already stays as it is. */
  readonly add: (jobs: readonly QueuedJob[]) => Promise<void>;
  /**
   * Those of `jobs` that aren't in the queue: none with their id waits, is delayed or runs. A delayed
   * one whose time is now was put off by a wrong clock; it is taken away and counts as missing.
   */
  readonly findMissing: (jobs: readonly QueuedJob[]) => Promise<QueuedJob[]>;
  readonly remove: (id: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Milliseconds to wait before the job runs again, or undefined when it is finished. */
export type JobResult = { readonly retryInMs: number } | undefined;

export type JobHandler = (data: unknown) => Promise<JobResult>;

export interface WorkerSettings {
  readonly concurrency: number;
  /** How long a job stays with a worker that went silent, in milliseconds. */
  readonly lockDuration: number;
  /** How often jobs of silent workers are looked for, in milliseconds. */
  readonly stalledInterval: number;
  /** Least time between the beginnings of two jobs, over all workers, in milliseconds; 0: none. */
  readonly pace: number;
}

export interface JobWorker {
  /** Takes no more jobs and waits for those that run. */
  readonly close: () => Promise<void>;
}

/** Where jobs live: the same calls on Redis and on PostgreSQL. Queues load what they need when opened. */
export interface QueueBackend {
  /** False while adding a job would have to wait for a connection. */
  readonly isReady: () => boolean;
  /** Asks for a sign of life; fails, or doesn't end, while there is none. */
  readonly ping: () => Promise<unknown>;
  /** Loads what the queues are made of, so that the first job doesn't wait for it. */
  readonly prepare: () => Promise<unknown>;
  readonly openQueue: (name: string) => Promise<JobQueue>;
  /** BullMQ's own queue, for the board to look into. */
  readonly openInspectedQueue: (name: string) => Promise<Queue>;
  readonly startWorker: (
    name: string,
    handle: JobHandler,
    settings: WorkerSettings,
  ) => Promise<JobWorker>;
  readonly close: () => Promise<void>;
}
