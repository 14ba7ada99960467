import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { waitFor } from '../support/wait-for.ts';

const logger = createLogger({ level: 'silent', process: 'test' });

beforeAll(async () => {
});

/** Pauses a queue for all workers until the test ends, as operators can. */
async function pauseKind(redisUrl: string, name: string): Promise<void> {
  const queues = connectQueues(redisUrl, logger);
  onTestFinished(queues.close);
  await waitFor('Redis', queues.isReady);
  const queue = await queues.openQueue(name);
  await queue.pause();
  await queue.close();
}

test('a delivery is sent once even if its queue is paused in Redis', async () => {
  const { settings, sink, database, redis } = await setUpDeliveries({
    WORKER_TIMINGS: JSON.stringify({ directAfter: 500 }),
    FOLLOW_UP_REMINDER_AFTER: '1h',
    FOLLOW_UP_AFTER: '2h',
  });
  await pauseKind(redis.url, 'follow-up');
  const web = await openWeb(settings);
  const worker = await openWorker(settings);

  await postContact(web.origin, makeContactBody());
  await waitFor('the mail', () => sink.received.length > 0);
  await waitFor('its record', () =>
    database('deliveries').where({ stage: 'new', state: 'sent' }).first(),
  );

  expect(sink.received).toHaveLength(1);
  expect(worker.output()).not.toContain('queue-out-of-order');
});
