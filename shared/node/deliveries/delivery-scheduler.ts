import { getJobId, type DeliveryKind, type ScheduledDelivery } from '../../deliveries/delivery.ts';
import type { DeliveryQueue } from '../queues/bullmq.ts';
import type { Queues } from '../queues/queues.ts';

/** Adds deliveries to the queues. Web uses it after a commit, and the worker uses it in the sweep. */
export type DeliveryScheduler = ReturnType<typeof createDeliveryScheduler>;

const addJob = (queue: DeliveryQueue, { id, kind, delayMs }: ScheduledDelivery) =>
  queue.add(kind, { deliveryId: id }, { jobId: getJobId(id), delay: Math.ceil(delayMs) });

async function isUnscheduled(queue: DeliveryQueue, { id, delayMs }: ScheduledDelivery): Promise<boolean> {
  const jobId = getJobId(id);
  const state = await queue.getJobState(jobId);
  if (state !== 'delayed' || delayMs > 0) return ['unknown', 'completed', 'failed'].includes(state);
  // This doesn't remove a job that a worker has just started. Adding such a job again changes nothing.
  await queue.remove(jobId);

  return true;
}

function cacheQueues(source: Pick<Queues, 'openQueue'>) {
  const queues = new Map<DeliveryKind, Promise<DeliveryQueue>>();

  return {
    /** Runs `work` with a queue. If that fails, the queue is closed, and the next call opens a new one. */
    use: async <Result>(kind: DeliveryKind, work: (queue: DeliveryQueue) => Promise<Result>): Promise<Result> => {
      const opening = queues.get(kind) ?? source.openQueue(kind);
      queues.set(kind, opening);

      try {
        return await work(await opening);
      } catch (error) {
        // A concurrent call may have replaced the queue.
        if (queues.get(kind) === opening) {
          queues.delete(kind);
          void opening.then((queue) => queue.close()).catch(() => undefined);
        }
        throw error;
      }
    },
    close: async () => {
      // Ignore queues that couldn't be opened.
      await Promise.allSettled([...queues.values()].map(async (queue) => (await queue).close()));
    },
  };
}

/** Creates the scheduler. It opens each queue on first use, so the process can start without Redis. */
export function createDeliveryScheduler(source: Pick<Queues, 'isReady' | 'openQueue'>) {
  const queues = cacheQueues(source);

  return {
    isReady: source.isReady,
    /** Adds a job for each delivery. Existing jobs don't change. */
    schedule: async (deliveries: readonly ScheduledDelivery[]): Promise<void> => {
      // For a few jobs, `addBulk` takes more CPU time.
      await Promise.all(
        deliveries.map((delivery) => queues.use(delivery.kind, (queue) => addJob(queue, delivery))),
      );
    },
    /** Returns the deliveries without a job. First removes jobs of due deliveries if a wrong clock has delayed them. */
    findUnscheduled: async (deliveries: readonly ScheduledDelivery[]): Promise<readonly ScheduledDelivery[]> => {
      const unscheduled = await Promise.all(
        deliveries.map((delivery) => queues.use(delivery.kind, (queue) => isUnscheduled(queue, delivery))),
      );

      return deliveries.filter((_, index) => unscheduled[index]);
    },
    close: queues.close,
  };
}
