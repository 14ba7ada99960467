import { setTimeout as wait } from 'node:timers/promises';
import type { ScheduledDelivery } from '../../shared/deliveries/delivery.ts';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { createQueueBackend } from '../../shared/node/queues/queue-backend.ts';
import { Second } from '../../shared/time.ts';
import { printError } from '../cli/terminal.ts';
import type { Session } from '../cli/session.ts';

const PATIENCE = 3 * Second;

/**
 * Queues deliveries as far as that works at once. It needn't: the worker's sweep queues what is
 * missing within half a minute.
 */
export async function scheduleIfPossible(
  { config, logger }: Pick<Session, 'config' | 'logger'>,
  deliveries: readonly ScheduledDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const backend = await createQueueBackend({ ...config, logger });
  const scheduler = createDeliveryScheduler(backend);
  const schedule = async () => {
    while (!backend.isReady()) await wait(20);
    await scheduler.schedule(deliveries);
    await scheduler.close();
    await backend.close();
  };

  try {
    const isDone = await Promise.race([
      schedule().then(() => true),
      wait(PATIENCE, false, { ref: false }),
    ]);
    if (isDone) return;
  } catch (error) {
    logger.debug({ err: error }, 'The queue refused.');
  }
  printError('The queue is away; the worker takes them up within half a minute all the same.');
}
