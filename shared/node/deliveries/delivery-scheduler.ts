import { deliveryKinds, getJobId, type DeliveryKind, type ScheduledDelivery } from '../../deliveries/delivery.ts';
import { Day } from '../../time.ts';
import type { DeliveryQueue } from '../queues/bullmq.ts';
import type { Queues } from '../queues/queues.ts';

/** Puts deliveries into the queues; used by the web after a commit and by the worker's sweep. */
export type DeliveryScheduler = ReturnType<typeof createDeliveryScheduler>;

/** Longest delay of a job; the sweep queues a delivery that is due later again. */
const MAX_DELAY = 365 * Day;

function groupByKind(deliveries: readonly ScheduledDelivery[]) {
  return deliveryKinds
    .map((kind) => [kind, deliveries.filter((delivery) => delivery.kind === kind)] as const)
    .filter(([, group]) => group.length > 0);
}

async function addJobs(queue: DeliveryQueue, deliveries: readonly ScheduledDelivery[]): Promise<void> {
  // Not `addBulk`, which takes more processor time for a few jobs.
  await Promise.all(
    deliveries.map(({ id, kind, delayMs }) =>
      queue.add(
        kind,
        { deliveryId: id },
        { jobId: getJobId(id), delay: Math.min(Math.max(0, Math.ceil(delayMs)), MAX_DELAY) },
      ),
    ),
  );
}

async function isUnscheduled(queue: DeliveryQueue, { id, delayMs }: ScheduledDelivery): Promise<boolean> {
  const jobId = getJobId(id);
  const state = await queue.getJobState(jobId);
  if (state !== 'delayed' || delayMs > 0) return ['unknown', 'completed', 'failed'].includes(state);
  // One that a worker has just begun stays, and adding it again changes nothing.
  await queue.remove(jobId);

  return true;
}

async function listUnscheduled(
  queue: DeliveryQueue,
  group: readonly ScheduledDelivery[],
): Promise<ScheduledDelivery[]> {
  const unscheduled = await Promise.all(group.map((delivery) => isUnscheduled(queue, delivery)));

  return group.filter((_, index) => unscheduled[index]);
}

function holdQueues(source: Pick<Queues, 'openQueue'>) {
  const queues = new Map<DeliveryKind, Promise<DeliveryQueue>>();

  return {
    /** A queue that failed, maybe to open, would fail for ever; the next use opens another. */
    use: async <Result>(kind: DeliveryKind, work: (queue: DeliveryQueue) => Promise<Result>): Promise<Result> => {
      const opening = queues.get(kind) ?? source.openQueue(kind);
      queues.set(kind, opening);

      try {
        return await work(await opening);
      } catch (error) {
        // Another use may have put a new one into its place.
        if (queues.get(kind) === opening) queues.delete(kind);
        void opening.then((queue) => queue.close()).catch(() => undefined);
        throw error;
      }
    },
    close: async () => {
      // A queue that could not be opened has nothing to close.
      await Promise.allSettled([...queues.values()].map(async (queue) => (await queue).close()));
    },
  };
}

/** Opens each queue when it is first used, so that a start needs nothing of Redis. */
export function createDeliveryScheduler(source: Pick<Queues, 'isReady' | 'openQueue'>) {
  const queues = holdQueues(source);

  return {
    isReady: source.isReady,
    /** Adds a job for each delivery; one that has a job already keeps it as it is. */
    schedule: async (deliveries: readonly ScheduledDelivery[]): Promise<void> => {
      await Promise.all(
        groupByKind(deliveries).map(([kind, group]) => queues.use(kind, (queue) => addJobs(queue, group))),
      );
    },
    /** Deliveries without a job. A delayed job that is due now was delayed by a wrong clock, and is removed. */
    findUnscheduled: async (deliveries: readonly ScheduledDelivery[]): Promise<readonly ScheduledDelivery[]> => {
      const groups = await Promise.all(
        groupByKind(deliveries).map(([kind, group]) => queues.use(kind, (queue) => listUnscheduled(queue, group))),
      );

      return groups.flat();
    },
    close: queues.close,
  };
}
