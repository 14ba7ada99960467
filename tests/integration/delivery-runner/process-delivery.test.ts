import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { processDelivery } from '../../../jobs/deliveries/process-delivery.ts';
import { productionTimings } from '../../../shared/node/config/timings.ts';
import { Second } from '../../../shared/time.ts';
import { waitFor } from '../../support/wait-for.ts';
import { database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';
import { setUp } from './worker-services.ts';

setUpDatabase();

/** Makes the database refuse that a delivery is sent; returns how it accepts that again. */
async function refuseRecords(): Promise<() => Promise<void>> {
  const accept = async () => void (await database.raw('drop function if exists refuse_record cascade'));
  onTestFinished(accept);
  await database.raw(`
    create function refuse_record() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse_record before update on deliveries for each row
      when (new.state = 'sent') execute function refuse_record()`);

  return accept;
}

describe('a job', () => {
  test('that is done is logged and measured, with how many recipients were deferred', async () => {
    const deferred = ['bob@example.com', 'eve@example.com'];
    const { services, lines, measured } = setUp({ handler: async () => ({ remoteRef: 'x', deferred }) });
    const id = await store({ stage: 'due' });

    expect(await processDelivery(services, { deliveryId: id })).toBeUndefined();
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ level: 30, msg: 'A delivery is sent.', deliveryId: id, kind: 'follow-up', stage: 'due', deferred: 2 },
      }),
    ]);
    expect(measured).toEqual([['follow-up', 'sent', expect.any(Number)]]);
    expect(Number(measured[0]?.[2])).toBeLessThan(60);
    const [other] = await database('deliveries').where({ recipient: 'bob@example.com' });
    // As after a first failure.
    expect(Number(other?.retry_at) - Date.now()).toBeLessThanOrEqual(30 * Second);
    expect(Number(other?.retry_at) - Date.now()).toBeGreaterThan(10 * Second);
  });

  test('that was done after its lease had ended is an error, for it may be done twice', async () => {
    const handler: DeliveryHandler = async ({ id }) => {
      await database('deliveries').where({ id }).update({ lease_token: crypto.randomUUID() });

      return { remoteRef: null, deferred: [] };
    };
    const { services, lines, measured } = setUp({ handler });
    await processDelivery(services, { deliveryId: await store() });

    expect(lines).toMatchObject([{ level: 50, msg: 'A delivery was sent after its lease had expired.' }]);
    expect(lines[0]).not.toHaveProperty('deferred');
    expect(measured).toEqual([['follow-up', 'sent', expect.any(Number)]]);
  });

  test('that is done is recorded later where the database refuses the record, and isn’t done again', async () => {
    const accept = await refuseRecords();
    const { services, lines, handled } = setUp();
    const id = await store();
    const done = processDelivery(services, { deliveryId: id });
    await waitFor('a refused record', () => lines.length > 0);
    await accept();
    await done;

    expect(lines[0]).toMatchObject({
      ...{ level: 40, msg: 'A sent delivery is not recorded yet.', deliveryId: id, err: { code: 'P0001' } },
    });
    expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'A delivery is sent.' });
    expect(await read(id)).toMatchObject({ state: 'sent' });
    expect(handled).toEqual([id]);
  });

  test('that is done and can’t be recorded fails before the lease ends, for the sweep to decide', async () => {
    await refuseRecords();
    const { attempt } = productionTimings;
    const { services, lines } = setUp({ timings: { lease: attempt + 1.5 * Second } });

    await expect(processDelivery(services, { deliveryId: await store() })).rejects.toMatchObject({ code: 'P0001' });
    // A second apart.
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(3);
  });

  test('asks the rate limit before it claims, and comes again in a second at the earliest', async () => {
    const { services, handled } = setUp();
    const id = await store();
    const result = await processDelivery(services, { deliveryId: id }, () => Promise.resolve(undefined));

    expect(result).toEqual({ retryInMs: Second });
    expect(handled).toEqual([]);
    expect(await processDelivery(services, { deliveryId: id }, (claim) => claim())).toBeUndefined();
    expect(handled).toEqual([id]);
  });

  test('without an id is dropped, and logged as an error', async () => {
    const { services, lines } = setUp();
    await processDelivery(services, { deliveryId: 'x' });

    expect(lines).toMatchObject([{ level: 50, msg: 'A job without a delivery id was dropped.' }]);
  });
});
