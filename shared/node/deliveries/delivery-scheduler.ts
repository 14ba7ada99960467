import { deliveryKinds, getJobId, type DeliveryKind, type ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { JobQueue, QueuedJob, QueueBackend } from '../queues/job-queue.ts';

/** Puts deliveries into the queues; used by the web after a commit and by the worker's sweep. */
export interface DeliveryScheduler {
  /** False while the queues can't be reached; scheduling would fail or wait. */
  readonly isReady: () => boolean;
  /** Adds a job for each delivery that has none yet. */
  readonly schedule: (deliveries: readonly ScheduledDelivery[]) => Promise<void>;
  /** Those of `deliveries` that have no job, or had one that a wrong clock put off. */
  readonly findUnscheduled: (
    deliveries: readonly ScheduledDelivery[],
  ) => Promise<readonly ScheduledDelivery[]>;
  readonly unschedule: (kind: DeliveryKind, ids: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

function groupByKind(deliveries: readonly ScheduledDelivery[]) {
  return deliveryKinds
    .map((kind) => [kind, deliveries.filter((delivery) => delivery.kind === kind)] as const)
    .filter(([, group]) => group.length > 0);
}

function toJob({ id, delayMs, priority }: ScheduledDelivery): QueuedJob {
  return { id: getJobId(id), data: { deliveryId: id }, delayMs, priority };
}

/** Opens each queue when it is first used, so that nothing is needed of Redis at the start. */
export function createDeliveryScheduler(backend: QueueBackend): DeliveryScheduler {
  const queues = new Map<DeliveryKind, Promise<JobQueue>>();
  /** A queue that failed, maybe to open, would fail for ever; the next use opens another. */
  const withQueue = async <Result>(
    kind: DeliveryKind,
    use: (queue: JobQueue) => Promise<Result>,
  ): Promise<Result> => {
    const opening = queues.get(kind) ?? backend.openQueue(kind);
    queues.set(kind, opening);

    try {
      return await use(await opening);
    } catch (error) {
      // Another use may have put a new one into its place.
      if (queues.get(kind) === opening) queues.delete(kind);
      void opening.then((queue) => queue.close()).catch(() => undefined);
      throw error;
    }
  };

  return {
    isReady: backend.isReady,
    schedule: async (deliveries) => {
      await Promise.all(
        groupByKind(deliveries).map(([kind, group]) =>
          withQueue(kind, (queue) => queue.add(group.map(toJob))),
        ),
      );
    },
    findUnscheduled: async (deliveries) => {
      const missing = await Promise.all(
        groupByKind(deliveries).map(([kind, group]) =>
          withQueue(kind, (queue) => queue.findMissing(group.map(toJob))),
        ),
      );
      const missingIds = new Set(missing.flat().map(({ data }) => data.deliveryId));

      return deliveries.filter(({ id }) => missingIds.has(id));
    },
    unschedule: async (kind, ids) => {
      await withQueue(kind, (queue) => Promise.all(ids.map((id) => queue.remove(getJobId(id)))));
    },
    close: async () => {
      // One that could not be opened needs no end.
      await Promise.allSettled([...queues.values()].map(async (queue) => (await queue).close()));
    },
  };
}
