import { onTestFinished } from 'vitest';
import { createDeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { waitFor } from './wait-for.ts';

/** Opens a Redis server's queues and their delivery scheduler. Both are closed when the test ends. */
export async function openQueues(redisUrl: string) {
  const queues = connectQueues(redisUrl, createLogger({ level: 'silent', process: 'test' }));
  const scheduler = createDeliveryScheduler(queues);
  onTestFinished(async () => {
    await scheduler.close();
    await queues.close();
  });
  await waitFor('the queues', queues.isReady);

  return { queues, scheduler };
}
