import { setTimeout as wait } from 'node:timers/promises';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { withTimeout } from '../../shared/node/process/with-timeout.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { Second } from '../../shared/time.ts';
import type { Session } from '../cli/session.ts';

const TIMEOUT = 3 * Second;
const POLL_INTERVAL = 20;

/** Queues deliveries if Redis responds within 3 s. Otherwise the worker's sweep queues them within half a minute. */
export async function scheduleIfPossible(
  { config, logger, terminal }: Pick<Session, 'config' | 'logger' | 'terminal'>,
  deliveries: readonly ScheduledDelivery[],
): Promise<void> {
  if (deliveries.length === 0 || config.redisUrl === undefined) return;
  const queues = connectQueues(config.redisUrl, logger);
  const scheduler = createDeliveryScheduler(queues);

  try {
    await withTimeout(async (signal) => {
      while (!queues.isReady()) await wait(POLL_INTERVAL, undefined, { signal });
      await scheduler.schedule(deliveries);
    }, TIMEOUT);
  } catch (error) {
    logger.debug({ err: error }, 'Scheduling failed.');
    terminal.printError("Redis can't be reached. The worker queues the deliveries within half a minute.");
  } finally {
    await scheduler.close();
    await queues.close();
  }
}
