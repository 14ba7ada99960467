import { describe, expect, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { recordHandOver } from '../../../shared/node/deliveries/leased-delivery.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { runJob } from '../../support/delivery-job.ts';
import { setUp, type Changes } from '../delivery-runner/worker-services.ts';
import { change, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';

setUpDatabase();

describe('a mail whose response was lost', () => {
  const loseResponse: DeliveryHandler = () =>
    Promise.reject(new DeliveryError('retry', 'lost', { isAmbiguous: true }));
  /** Makes one attempt without waiting for the back-off. */
  const run = async (id: string, changes?: Changes) => {
    await change(id, { retry_at: null });
    await runJob(setUp(changes).services, { deliveryId: id });
  };

  test('is sent once more and is marked as a possible duplicate', async () => {
    const id = await store();

    await run(id, { handler: loseResponse });
    expect(await read(id)).toMatchObject({ state: 'pending', maybe_duplicate: true });
    await run(id);

    expect(await read(id)).toMatchObject({ state: 'sent', maybe_duplicate: true });
  });

  test('is dead if the second response is lost too, because a third attempt would certainly send a duplicate', async () => {
    const id = await store();

    await run(id, { handler: loseResponse });
    await run(id, { handler: loseResponse });

    expect(await read(id)).toMatchObject({ state: 'dead', maybe_duplicate: true, last_error: 'lost', lost_answers: 2 });
  });

  test('is counted if its handler hangs after the hand-over', async () => {
    const id = await store();
    const hangAfterHandOver: DeliveryHandler = async (delivery) => {
      await recordHandOver(database, delivery);

      return new Promise(() => undefined);
    };

    await run(id, { handler: hangAfterHandOver, timings: { attempt: 50 } });

    expect(await read(id)).toMatchObject({ state: 'pending', last_error: 'timed-out', lost_answers: 1 });
  });
});
