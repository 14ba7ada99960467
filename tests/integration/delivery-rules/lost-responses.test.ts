import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { claimDelivery } from '../../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { recordHandOver } from '../../../shared/node/deliveries/leased-delivery.ts';
import { releaseExpiredLeases } from '../../../shared/node/deliveries/sweep-queries.ts';
import { runJob } from '../../support/delivery-job.ts';
import { limits, makeDelivery, makeServices, setUpDatabase, succeed } from './planned-delivery.ts';

setUpDatabase();

describe('a delivery whose response was lost after everything was handed over', () => {
  const loseResponse: DeliveryHandler = () =>
    Promise.reject(new DeliveryError('retry', 'lost', { isAmbiguous: true }));
  const makeReady = (database: Database, id: string) =>
    database('deliveries').where({ id }).update({ retry_at: null });

  test('is tried once more and is marked as a possible duplicate', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await runJob(makeServices(database, loseResponse), { deliveryId });
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await makeReady(database, deliveryId);
    await runJob(makeServices(database, succeed), { deliveryId });

    expect(await read()).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('is dead if the second response is lost too, because a third try would surely be a duplicate', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await runJob(makeServices(database, loseResponse), { deliveryId });
    await makeReady(database, deliveryId);
    await runJob(makeServices(database, loseResponse), { deliveryId });

    expect(await read()).toMatchObject({ state: 'dead', maybe_duplicate: true, last_error: 'lost' });
    expect(await read()).toMatchObject({ lost_answers: 2 });
  });
});

describe('a worker that is killed', () => {
  /** Makes one attempt whose worker is killed after or before the hand-over of its mail. */
  async function killOnce(database: Database, id: string, isHandedOver: boolean): Promise<void> {
    const claimed = await claimDelivery(database, id, { token: randomUUID(), ms: 1 });
    if (!claimed) throw new Error('It was not claimed.');
    if (isHandedOver) expect(await recordHandOver(database, claimed)).toBe(true);
    await database.raw('select pg_sleep(0.01)');
    await releaseExpiredLeases(database, limits);
  }

  test('twice after it handed a mail over leaves the mail dead, and kills before the hand-over don’t count', async () => {
    const { database, deliveryId, read } = await makeDelivery();

    await killOnce(database, deliveryId, false);
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: false, lost_answers: 0 });
    await killOnce(database, deliveryId, true);
    expect(await read()).toMatchObject({ state: 'pending', maybe_duplicate: true, lost_answers: 1 });
    expect((await read())?.handed_over_at).not.toBeNull();
    await killOnce(database, deliveryId, false);
    expect(await read()).toMatchObject({ state: 'pending', lost_answers: 1, handed_over_at: null });
    await killOnce(database, deliveryId, true);

    expect(await read()).toMatchObject({ state: 'dead', lease_expiries: 4, lost_answers: 2 });
  });

  test('during an export leaves the export pending, marked as a possible duplicate', async () => {
    const { database, submissionId } = await makeDelivery();
    const row = await database('deliveries').where({ submission_id: submissionId, kind: 'crm-export' }).first();
    const id = row?.id ?? '';

    for (let kill = 1; kill <= 3; kill += 1) await killOnce(database, id, false);

    expect(await database('deliveries').where({ id }).first()).toMatchObject({
      state: 'pending',
      maybe_duplicate: true,
      attempts: 3,
    });
  });

  test('whose handler hangs after the hand-over counts the response as lost', async () => {
    const { database, deliveryId, read } = await makeDelivery();
    const hangAfterHandOver: DeliveryHandler = async (delivery) => {
      await recordHandOver(database, delivery);

      return new Promise(() => undefined);
    };

    await runJob(makeServices(database, hangAfterHandOver, { attempt: 50 }), { deliveryId });

    expect(await read()).toMatchObject({ state: 'pending', last_error: 'timed-out', lost_answers: 1 });
  });
});
