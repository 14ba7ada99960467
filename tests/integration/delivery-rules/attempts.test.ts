import { describe, expect, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { runJob } from '../../support/delivery-job.ts';
import { setUp } from '../delivery-runner/worker-services.ts';
import { database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';

setUpDatabase();

const sent = { remoteRef: 'ref', deferred: [] };

describe('a delivery', () => {
  test('is processed once, however often its job runs', async () => {
    const id = await store();
    const { services, handled } = setUp({ handler: async () => sent });

    const results = await Promise.all([1, 2, 3].map(() => runJob(services, { deliveryId: id })));
    await runJob(services, { deliveryId: id });

    expect(handled).toEqual([id]);
    expect(results).toContain(undefined);
    expect(await read(id)).toMatchObject({ state: 'sent', attempts: 1, remote_ref: 'ref' });
  });

  test('is aborted and retried later if it takes too long', async () => {
    const id = await store();
    let isAborted = false;
    const hang: DeliveryHandler = (_delivery, signal) =>
      new Promise(() => {
        signal.addEventListener('abort', () => {
          isAborted = true;
        });
      });

    await runJob(setUp({ handler: hang, timings: { attempt: 50 } }).services, { deliveryId: id });

    expect(isAborted).toBe(true);
    expect(await read(id)).toMatchObject({ state: 'pending', last_error: 'timed-out' });
  });

  test('is recorded using new connections if the old ones break while it is being sent', async () => {
    const id = await store();
    const handler: DeliveryHandler = async () => {
      // Terminates every connection in the pool, its own last, so this query fails.
      const endAll = database.raw(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'test' and datname = current_database() order by pid = pg_backend_pid()`);
      await expect(endAll).rejects.toThrow('terminating connection');

      return sent;
    };
    const { services, handled } = setUp({ handler });

    await runJob(services, { deliveryId: id });

    expect(handled).toEqual([id]);
    expect(await read(id)).toMatchObject({ state: 'sent' });
  });
});
