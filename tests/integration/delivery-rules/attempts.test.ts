import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { openDatabase } from '../../support/database.ts';
import { runJob } from '../../support/delivery-job.ts';
import {
  databaseUrl,
  makeDelivery,
  makeServices,
  sent,
  setUpDatabase,
} from './planned-delivery.ts';

setUpDatabase();

describe('a delivery', () => {
  test('is processed once, however often its job runs', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const services = makeServices(database, () => {
      count += 1;

      return Promise.resolve(sent);
    });

    const results = await Promise.all([1, 2, 3].map(() => runJob(services, { deliveryId })));
    await runJob(services, { deliveryId });

    expect(count).toBe(1);
    expect(results.filter((result) => result === undefined).length).toBeGreaterThan(0);
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1, remote_ref: 'ref' });
  });

  test('that takes too long is aborted and retried later', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let isStopped = false;
    const hang: DeliveryHandler = (_delivery, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isStopped = true;
        });
      });

    await runJob(makeServices(database, hang, { attempt: 50 }), { deliveryId });

    expect(isStopped).toBe(true);
    expect(await read()).toMatchObject({ state: 'pending', last_error: 'timed-out' });
  });

  test('is recorded over new connections if the old ones broke during its processing', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const handler: DeliveryHandler = async () => {
      count += 1;
      // The next statement on every connection of the pool fails.
      await openDatabase(databaseUrl, onTestFinished).raw(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test' and pid <> pg_backend_pid() and datname = current_database()",
      );

      return sent;
    };

    await runJob(makeServices(database, handler), { deliveryId });

    expect(count).toBe(1);
    expect(await read()).toMatchObject({ state: 'sent' });
  });
});
