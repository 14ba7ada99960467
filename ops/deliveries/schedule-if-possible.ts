import { setTimeout as wait } from 'node:timers/promises';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { Second } from '../../shared/time.ts';
import { printError } from '../cli/terminal.ts';
import type { Session } from '../cli/session.ts';

/** Milliseconds an operator waits for Redis. */
const TIMEOUT = 3 * Second;

/**
 * Queues deliveries where there is a queue and it answers. That is best effort: the worker's sweep queues
 * what is missing within half a minute, and without Redis the worker finds what is due by itself.
 */
export async function scheduleIfPossible(
  { config, logger }: Pick<Session, 'config' | 'logger'>,
  deliveries: readonly ScheduledDelivery[],
): Promise<void> {
  if (deliveries.length === 0 || !config.redisUrl) return;
  const queues = connectQueues(config.redisUrl, logger);
  const scheduler = createDeliveryScheduler(queues);
  const schedule = async () => {
    while (!queues.isReady()) await wait(20);
    await scheduler.schedule(deliveries);
    await scheduler.close();
    await queues.close();
  };

  try {
    const isDone = await Promise.race([
      schedule().then(() => true),
      wait(TIMEOUT, false, { ref: false }),
    ]);
    if (isDone) return;
  } catch (error) {
    logger.debug({ err: error }, 'The queue refused.');
  }
  printError('The queue is away; the worker takes them up within half a minute all the same.');
}
