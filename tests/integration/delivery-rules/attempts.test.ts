import { randomUUID } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { claimDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { markDeliverySent, recordRemoteStep } from '../../../shared/node/deliveries/leased-delivery.ts';
import { releaseExpiredLeases } from '../../../shared/node/deliveries/sweep-queries.ts';
import { Hour, Second } from '../../../shared/time.ts';
import { openDatabase } from '../../support/database.ts';
import { runJob } from '../../support/delivery-job.ts';
import {
  databaseUrl,
  fail,
  limits,
  makeDelivery,
  makeServices,
  sent,
  setUpDatabase,
  succeed,
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

  test('that is not due yet is left for its time', async () => {
    const { database, submissionId } = await makeDelivery();
    const due = await database('deliveries').where({ submission_id: submissionId, stage: 'due' }).first();

    const result = await runJob(makeServices(database, succeed), { deliveryId: due?.id });

    expect(result?.retryInMs).toBeGreaterThan(24 * Hour - 60 * Second);
    expect(result?.retryInMs).toBeLessThanOrEqual(24 * Hour);
  });

  test('that fails waits for its back-off and keeps its due time', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const before = await read();

    const result = await runJob(makeServices(database, fail('retry')), { deliveryId });

    expect(result?.retryInMs).toBeGreaterThanOrEqual(22_500);
    expect(await read()).toMatchObject({
      state: 'pending',
      attempts: 1,
      due_at: before?.due_at,
      last_error: 'test-reason',
    });
    expect((await runJob(makeServices(database, succeed), { deliveryId }))?.retryInMs).toBeGreaterThan(1);
  });

  test('that has failed for 72 hours is dead; one overdue for as long but new to failing is not', async () => {
    for (const [attempts, state] of [
      [1, 'pending'],
      [9, 'dead'],
    ] as const) {
      const { database, deliveryId, read } = await makeDelivery();
      await database('deliveries')
        .where({ id: deliveryId })
        .update({ attempts, due_at: database.raw("now() - interval '73 hours'") });

      await runJob(makeServices(database, fail('retry')), { deliveryId });

      expect(await read()).toMatchObject({ state });
    }
  });

  test('that takes too long is aborted and tried again', async () => {
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

  test('whose lease has ended can’t be completed by the worker that held it', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const claimed = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
    if (!claimed) throw new Error('It was not claimed.');
    await database.raw('select pg_sleep(0.01)');
    await releaseExpiredLeases(database, limits);

    expect(await markDeliverySent(database, claimed, sent, 0)).toBe(false);
    expect(await read()).toMatchObject({ state: 'pending', lease_expiries: 1 });
  });

  test('of which ten leases expired is dead', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    for (let crash = 1; crash <= 10; crash += 1) {
      expect(await read()).toMatchObject({ state: 'pending' });
      await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
      await database.raw('select pg_sleep(0.01)');
      await releaseExpiredLeases(database, limits);
    }

    expect(await read()).toMatchObject({ state: 'dead', lease_expiries: 10, maybe_duplicate: false });
  });

  test('that is processed while the database is down is recorded when it is up again', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    let count = 0;
    const handler: DeliveryHandler = async () => {
      count += 1;
      // The next statement on every connection of the pool fails once.
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

test('a step that is recorded is known to the next try, even when the first one failed', async () => {
  const { database, deliveryId, read } = await makeDelivery();
  const seen: Array<Readonly<Record<string, string>>> = [];
  const handler: DeliveryHandler = async (delivery) => {
    seen.push(delivery.remoteSteps);
    await recordRemoteStep(database, delivery, { step: 'contact', remoteId: '42' });
    await recordRemoteStep(database, delivery, { step: 'note', remoteId: '"7"' });
    throw new DeliveryError('retry', 'test-reason');
  };

  await runJob(makeServices(database, handler), { deliveryId });
  await database('deliveries').where({ id: deliveryId }).update({ retry_at: null });
  await runJob(makeServices(database, handler), { deliveryId });

  expect(seen).toEqual([{}, { contact: '42', note: '"7"' }]);
  expect(await read()).toMatchObject({ state: 'pending', attempts: 2 });
});

test('a worker whose lease has ended records no step', async () => {
  const { database, deliveryId, read } = await makeDelivery();
  const claimed = await claimDelivery(database, deliveryId, { token: randomUUID(), ms: 1 });
  if (!claimed) throw new Error('It was not claimed.');
  await database.raw('select pg_sleep(0.01)');
  await releaseExpiredLeases(database, limits);

  const isRecorded = await recordRemoteStep(database, claimed, { step: 'a', remoteId: '1' });

  expect(isRecorded).toBe(false);
  expect((await read())?.remote_steps).toEqual({});
});

test('a job without a delivery’s id is dropped', async () => {
  const { database } = await makeDelivery();
  const services = makeServices(database, succeed);

  for (const data of [undefined, {}, { deliveryId: 7 }, { deliveryId: 'not-a-uuid' }]) {
    expect(await runJob(services, data)).toBeUndefined();
  }
});
