import { deliveryKinds, getJobId, type DeliveryKind, type ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { JobQueue, QueuedJob, QueueBackend } from '../queues/job-queue.ts';

/** Puts deliveries into the queues; used by the web after a commit and by the worker's sweep. */
export interface DeliveryScheduler {
  /** False while the queues can't be reached; scheduling would fail or wait. */
  readonly isReady: () => boolean;
  /** Adds a job for each delivery that has none yet. */
  readonly schedule: (deliveries: readonly ScheduledDelivery[]) => Promise<void>;
  /** Those of `deliveries` that have no job. */
  readonly findUnscheduled: (
    deliveries: readonly ScheduledDelivery[],
  ) => Promise<readonly ScheduledDelivery[]>;
  readonly unschedule: (kind: DeliveryKind, ids: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens each queue when it is first used, so that nothing is needed of Redis at the start. */
export function createDeliveryScheduler(backend: QueueBackend): DeliveryScheduler {
  const queues = new Map<DeliveryKind, JobQueue>();
  const getQueue = (kind: DeliveryKind): JobQueue => {
    const queue = queues.get(kind) ?? backend.openQueue(kind);
    queues.set(kind, queue);

    return queue;
  };
  /** A queue that failed to open would fail for ever; the next use opens another. */
  const forgetQueue = (kind: DeliveryKind) => {
    const queue = queues.get(kind);
    queues.delete(kind);
    void queue?.close().catch(() => undefined);
  };
  const addTo = async (kind: DeliveryKind, jobs: readonly QueuedJob[]) => {
    try {
      await getQueue(kind).add(jobs);
    } catch (error) {
      forgetQueue(kind);
      throw error;
    }
  };
  const groupByKind = (deliveries: readonly ScheduledDelivery[]) =>
    deliveryKinds
      .map((kind) => [kind, deliveries.filter((delivery) => delivery.kind === kind)] as const)
      .filter(([, group]) => group.length > 0);

  return {
    isReady: backend.isReady,
    schedule: async (deliveries) => {
      await Promise.all(
        groupByKind(deliveries).map(([kind, group]) =>
          addTo(
            kind,
            group.map(({ id, delayMs }) => ({ id: getJobId(id), data: { deliveryId: id }, delayMs })),
          ),
        ),
      );
    },
    findUnscheduled: async (deliveries) => {
      const missing = await Promise.all(
        groupByKind(deliveries).map(([kind, group]) =>
          getQueue(kind).findMissing(group.map(({ id }) => getJobId(id))),
        ),
      );
      const missingIds = new Set(missing.flat());

      return deliveries.filter(({ id }) => missingIds.has(getJobId(id)));
    },
    unschedule: async (kind, ids) => {
      await Promise.all(ids.map((id) => getQueue(kind).remove(getJobId(id))));
    },
    close: async () => {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
    },
  };
}
