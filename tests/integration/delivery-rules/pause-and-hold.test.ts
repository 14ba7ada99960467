import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import {
  listPauses,
  pauseKind,
  resumeKind,
  resumeKindsAfterStart,
} from '../../../shared/node/deliveries/delivery-pauses.ts';
import { readLongestWaitMs, readOldestOverdueMs } from '../../../shared/node/deliveries/sweep-queries.ts';
import { Second } from '../../../shared/time.ts';
import { createMigratedDatabase } from '../../support/database.ts';
import { runJob } from '../../support/delivery-job.ts';
import { fail, makeDelivery, makeServices, succeed } from './planned-delivery.ts';

describe('a kind of delivery', () => {
  /** The first mails about two submissions, in one database. */
  async function makeTwo() {
    const url = await createMigratedDatabase();
    const first = await makeDelivery(url);
    const second = await makeDelivery(url);

    return { database: first.database, first, second };
  }

  test('whose receiver refuses the credentials is paused, and the attempt doesn’t count', async () => {
    const { database, first, second } = await makeTwo();
    const services = makeServices(database, fail('paused'), { pause: 60 * Second });

    const result = await runJob(services, { deliveryId: first.deliveryId });
    const other = await runJob(makeServices(database, succeed), {
      deliveryId: second.deliveryId,
    });

    expect(result?.retryInMs).toBeGreaterThanOrEqual(60 * Second);
    expect(await first.read()).toMatchObject({ state: 'pending', attempts: 0, last_error: 'test-reason' });
    expect(other?.retryInMs).toBeGreaterThan(50 * Second);
    expect(await second.read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'test-reason' }]);

    await resumeKindsAfterStart(database);
    await runJob(makeServices(database, succeed), { deliveryId: second.deliveryId });
    expect(await second.read()).toMatchObject({ state: 'sent' });
  });

  test('whose credentials stay wrong keeps its deliveries pending', async () => {
    const { database, first } = await makeTwo();
    await database('deliveries')
      .where({ id: first.deliveryId })
      .update({ attempts: 50, due_at: database.raw("now() - interval '100 hours'") });

    await runJob(makeServices(database, fail('paused')), { deliveryId: first.deliveryId });

    expect(await first.read()).toMatchObject({ state: 'pending' });
  });

  test('whose receiver asks to wait is paused for that time, even if a worker restarts', async () => {
    const { database, first, second } = await makeTwo();
    const busy: DeliveryHandler = () =>
      Promise.reject(new DeliveryError('retry', 'crm-429', { kindWaitsMs: 600 * Second }));

    await runJob(makeServices(database, busy), { deliveryId: first.deliveryId });
    await resumeKindsAfterStart(database);
    const other = await runJob(makeServices(database, succeed), {
      deliveryId: second.deliveryId,
    });

    expect(await first.read()).toMatchObject({ state: 'pending', attempts: 1 });
    expect(other?.retryInMs).toBeGreaterThan(590 * Second);
    await resumeKind(database, 'follow-up');
    await runJob(makeServices(database, succeed), { deliveryId: second.deliveryId });
    expect(await second.read()).toMatchObject({ state: 'sent' });
  });
});

test('a delivery that waits for its back-off or for the end of a pause is overdue, but not stuck', async () => {
  const url = await createMigratedDatabase();
  const { database, submissionId, deliveryId } = await makeDelivery(url);
  await database('deliveries').where({ submission_id: submissionId }).whereNot({ id: deliveryId }).delete();
  const setBack = (change: object) => database('deliveries').where({ id: deliveryId }).update(change);
  await setBack({ due_at: database.raw("now() - interval '1 hour'") });
  expect(await readLongestWaitMs(database)).toBeGreaterThan(3_590 * Second);

  await setBack({ retry_at: database.raw("now() + interval '1 minute'") });
  expect(await readLongestWaitMs(database)).toBe(0);
  expect(await readOldestOverdueMs(database)).toBeGreaterThan(3_590 * Second);

  await setBack({ retry_at: null });
  await pauseKind(database, 'follow-up', { ms: 60 * Second, reason: 'x', endsWithRestart: true });
  expect(await readLongestWaitMs(database)).toBe(0);

  // The wait counts from the end of the pause.
  await database('delivery_pauses').update({ until: database.raw("now() - interval '1 minute'") });
  expect(await readLongestWaitMs(database)).toBeLessThan(120 * Second);
});

describe('while all deliveries are on hold', () => {
  test('a job does nothing and is delayed by a minute at most, until the release', async () => {
    const { database, deliveryId, read } = await makeDelivery(await createMigratedDatabase());
    const services = makeServices(database, succeed);
    await holdDeliveries(database);

    const result = await runJob(services, { deliveryId });
    expect(result?.retryInMs).toBeGreaterThan(50 * Second);
    expect(result?.retryInMs).toBeLessThanOrEqual(60 * Second);
    expect(await read()).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await runJob(services, { deliveryId: randomUUID() })).toBeUndefined();

    await releaseDeliveries(database);
    await runJob(services, { deliveryId });
    expect(await read()).toMatchObject({ state: 'sent', attempts: 1 });
  });
});
