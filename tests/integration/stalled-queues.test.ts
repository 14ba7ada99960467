import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ClaimLimiter } from '../../jobs/deliveries/claim-limiter.ts';
import type { DeliveryHandler } from '../../jobs/deliveries/delivery-handler.ts';
import { makeSweep, type SweepServices } from '../../jobs/deliveries/sweep-deliveries.ts';
import { mapKinds } from '../../shared/deliveries/delivery.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { subscribeToAlerts } from '../../shared/node/logging/raised-alerts.ts';
import type { DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { TimeoutError } from '../../shared/node/process/with-timeout.ts';
import { connectQueues } from '../../shared/node/queues/queues.ts';
import { Minute } from '../../shared/time.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { unobserved } from '../support/delivery-job.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { storeDelivery, storeSubmission } from '../support/ops-fixture.ts';
import { waitFor } from '../support/wait-for.ts';

const logger = createLogger({ level: 'silent', process: 'test' });
let databaseUrl: string;

beforeAll(async () => {
  databaseUrl = await createMigratedDatabase();
});

/** Pauses a queue for all workers until the test ends, as an operator can. */
async function pauseKind(redisUrl: string, name: string): Promise<void> {
  const queues = connectQueues(redisUrl, logger);
  onTestFinished(queues.close);
  await waitFor('Redis', queues.isReady);
  const queue = await queues.openQueue(name);
  await queue.pause();
  await queue.close();
}

test('a delivery whose queue is paused in Redis is sent all the same, once', async () => {
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

const unlimited: ClaimLimiter = (claim) => claim();

/** A worker's sweep over a queue that a test controls, and the ids it processes. */
function makeSweeper(changes: Partial<DeliveryScheduler>, timings = {}, ownHandler?: DeliveryHandler) {
  const database = openDatabase(databaseUrl, onTestFinished);
  const done: string[] = [];
  const noteDone: DeliveryHandler = ({ id }) => {
    done.push(id);

    return Promise.resolve({ remoteRef: null, deferred: [] });
  };
  const handler = ownHandler ?? noteDone;
  const services: SweepServices = {
    ...unobserved,
    database,
    logger,
    handlers: mapKinds(() => handler),
    timings: { ...productionTimings, ...timings },
    limiters: mapKinds(() => unlimited),
    planners: [],
    scheduler: {
      isReady: () => true,
      schedule: () => Promise.resolve(),
      findUnscheduled: () => Promise.resolve([]),
      close: () => Promise.resolve(),
      ...changes,
    },
  };
  const sweep = makeSweep(services);

  return { database, done, sweep: () => sweep(new AbortController().signal) };
}

/** Deliveries that have been due for so long, by their age in minutes. */
async function storeDue(ages: readonly number[]): Promise<string[]> {
  const database = openDatabase(databaseUrl, onTestFinished);
  await database('deliveries').delete();
  const dueAt = (age: number) => new Date(Date.now() - age * Minute);

  return Promise.all(
    ages.map(async (age) =>
      // A first mail that is due in the future counts as a wrong clock's.
      storeDelivery(database, await storeSubmission(database), { due_at: dueAt(age), stage: age < 0 ? 'due' : 'new' }),
    ),
  );
}

describe('a sweep', () => {
  test('leaves to a working queue what it has had for less than two minutes', async () => {
    const [old] = await storeDue([2.5, 1, -1]);
    const { sweep, done } = makeSweeper({});

    await sweep();

    expect(done).toEqual([old]);
  });

  test('processes all that is due while the queue doesn’t respond, and calls it once', async () => {
    const [old, young] = await storeDue([2.5, 1, -1]);
    let asked = 0;
    const findUnscheduled = () => {
      asked += 1;

      return new Promise<never>(() => undefined);
    };
    const { sweep, done } = makeSweeper({ findUnscheduled }, { queueCheck: 50 });

    await sweep();
    expect(done).toEqual([old, young]);
    await sweep();
    expect(asked).toBe(1);
  });

  test('that hangs is aborted, and another worker processes what it had claimed', async () => {
    const [old] = await storeDue([2.5]);
    const timings = { attempt: 10 * Minute, queueCheck: 50, sweep: 50, lease: 50 };
    const hanging = makeSweeper({}, timings, () => new Promise(() => undefined));
    const other = makeSweeper({});

    await expect(hanging.sweep()).rejects.toThrow(TimeoutError);
    await waitFor('the end of its lease', async () => {
      await other.sweep();

      return other.done.length > 0;
    });

    expect(other.done).toEqual([old]);
  });

  test('that takes too long still reports that a delivery is overdue', async () => {
    await storeDue([20]);
    const timings = { attempt: 10 * Minute, queueCheck: 50, sweep: 50, lease: 50 };
    const { sweep } = makeSweeper({}, timings, () => new Promise(() => undefined));
    const raised: string[] = [];
    onTestFinished(subscribeToAlerts(({ name }) => raised.push(name)));

    await expect(sweep()).rejects.toThrow(TimeoutError);

    expect(raised).toEqual(['delivery-overdue']);
  });
});
