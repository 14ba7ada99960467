import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { holdDeliveries, releaseDeliveries } from '../../../shared/node/deliveries/delivery-hold.ts';
import {
  listPauses,
  pauseKind,
  resumeKind,
  resumeKindsAfterStart,
} from '../../../shared/node/deliveries/delivery-pauses.ts';
import { readLongestWaitMs, readOldestOverdueMs } from '../../../shared/node/deliveries/sweep-queries.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { Hour, Minute, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { runJob } from '../../support/delivery-job.ts';
import { setUp, type Changes } from '../delivery-runner/worker-services.ts';
import { ahead, change, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';

setUpDatabase();

const run = (deliveryId: string, changes?: Changes) => runJob(setUp(changes).services, { deliveryId });

describe('a kind of delivery', () => {
  test('is paused until a worker starts if its receiver refuses the credentials, and the attempt doesn’t count', async () => {
    const [first, second] = [await store(), await store()];
    const refuse = () => Promise.reject(new DeliveryError('paused', 'test-reason'));

    const result = await run(first, { handler: refuse, timings: { pause: Minute } });
    const other = await run(second);

    expect(result?.retryInMs).toBeGreaterThanOrEqual(Minute);
    expect(await read(first)).toMatchObject({ state: 'pending', attempts: 0, last_error: 'test-reason' });
    expect(other?.retryInMs).toBeGreaterThan(50 * Second);
    expect(await read(second)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'test-reason' }]);

    await resumeKindsAfterStart(database);
    await run(second);
    expect(await read(second)).toMatchObject({ state: 'sent' });
  });

  test('is paused for as long as its receiver asks, even if a worker restarts', async () => {
    const [first, second] = [await store(), await store()];
    const busy = () => Promise.reject(new DeliveryError('retry', 'crm-429', { kindWaitsMs: 10 * Minute }));

    await run(first, { handler: busy });
    await resumeKindsAfterStart(database);
    const other = await run(second);

    expect(await read(first)).toMatchObject({ state: 'pending', attempts: 1 });
    expect(other?.retryInMs).toBeGreaterThan(590 * Second);
    await resumeKind(database, 'follow-up');
    await run(second);
    expect(await read(second)).toMatchObject({ state: 'sent' });
  });
});

test('a delivery that waits for its back-off or for the end of a pause is overdue, but not stuck', async () => {
  const id = await store({ due_at: ago(Hour) });
  expect(await readLongestWaitMs(database)).toBeGreaterThan(3_590 * Second);

  await change(id, { retry_at: ahead(Minute) });
  expect(await readLongestWaitMs(database)).toBe(0);
  expect(await readOldestOverdueMs(database)).toBeGreaterThan(3_590 * Second);

  await change(id, { retry_at: null });
  await pauseKind(database, 'follow-up', { ms: Minute, reason: 'x', endsWithRestart: true });
  expect(await readLongestWaitMs(database)).toBe(0);

  // The wait is measured from the end of the pause.
  await database('delivery_pauses').update({ until: ago(Minute) });
  expect(await readLongestWaitMs(database)).toBeLessThan(2 * Minute);
});

test('while all deliveries are on hold, a job waits for at most a minute and does nothing else', async () => {
  const id = await store();
  await holdDeliveries(database);

  const result = await run(id);
  expect(result?.retryInMs).toBeGreaterThan(50 * Second);
  expect(result?.retryInMs).toBeLessThanOrEqual(Minute);
  expect(await read(id)).toMatchObject({ state: 'pending', attempts: 0 });
  expect(await run(randomUUID())).toBeUndefined();

  await releaseDeliveries(database);
  await run(id);
  expect(await read(id)).toMatchObject({ state: 'sent', attempts: 1 });
});
