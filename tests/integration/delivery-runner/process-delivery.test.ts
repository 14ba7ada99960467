import { describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { processClaimed } from '../../../jobs/deliveries/process-delivery.ts';
import type { Database } from '../../../shared/node/database/database.ts';
import { recordHandOver } from '../../../shared/node/deliveries/leased-delivery.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { Second } from '../../../shared/time.ts';
import { runJob } from '../../support/delivery-job.ts';
import { waitFor } from '../../support/wait-for.ts';
import { claim, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';
import { setUp } from './worker-services.ts';

setUpDatabase();

type Work = Parameters<Database['transaction']>[0];

/** Makes the database reject updates that end a lease. Returns a function that undoes this. */
async function refuseRecords(): Promise<() => Promise<void>> {
  const accept = async () => void (await database.raw('drop function if exists refuse_record cascade'));
  onTestFinished(accept);
  await database.raw(`
    create function refuse_record() returns trigger language plpgsql as $$ begin raise 'refused'; end $$;
    create trigger refuse_record before update on deliveries for each row
      when (new.state <> 'leased' and old.state = 'leased') execute function refuse_record()`);

  return accept;
}

describe('a job', () => {
  test('is logged and measured with the number of deferred recipients if it succeeds', async () => {
    const deferred = ['bob@example.com', 'eve@example.com'];
    const { services, lines, measured } = setUp({ handler: async () => ({ remoteRef: 'x', deferred }) });
    const id = await store({ stage: 'due' });

    expect(await runJob(services, { deliveryId: id })).toBeUndefined();
    expect(lines).toEqual([
      expect.objectContaining({
        ...{ level: 30, msg: 'A delivery is sent.', deliveryId: id, kind: 'follow-up', stage: 'due', deferred: 2 },
        submissionId: expect.any(String),
      }),
    ]);
    expect(measured).toEqual([['follow-up', 'sent', expect.any(Number)]]);
    expect(Number(measured[0]?.[2])).toBeLessThan(60);
    const [other] = await database('deliveries').where({ recipient: 'bob@example.com' });
    // The back-off after a first failure is at most 30 s.
    expect(Number(other?.retry_at) - Date.now()).toBeLessThanOrEqual(30 * Second);
    expect(Number(other?.retry_at) - Date.now()).toBeGreaterThan(10 * Second);
  });

  test('is logged as an error if it succeeds after its lease has ended, because the delivery may be sent twice', async () => {
    const handler: DeliveryHandler = async ({ id }) => {
      await database('deliveries').where({ id }).update({ lease_token: crypto.randomUUID() });

      return { remoteRef: null, deferred: [] };
    };
    const { services, lines, measured } = setUp({ handler });
    await runJob(services, { deliveryId: await store() });

    expect(lines).toMatchObject([{ level: 50, msg: 'A delivery was sent after its lease had expired.' }]);
    expect(lines[0]).not.toHaveProperty('deferred');
    expect(measured).toEqual([['follow-up', 'sent', expect.any(Number)]]);
  });

  test('is recorded later and isn’t repeated if it succeeds while the database refuses to record it', async () => {
    const accept = await refuseRecords();
    const { services, lines, handled } = setUp();
    const id = await store();
    const done = runJob(services, { deliveryId: id });
    await waitFor('a refused record', () => lines.length > 0);
    await accept();
    await done;

    expect(lines[0]).toMatchObject({
      ...{ level: 40, msg: 'The outcome of a delivery is not recorded yet.', deliveryId: id, err: { code: 'P0001' } },
    });
    expect(lines.at(-1)).toMatchObject({ level: 30, msg: 'A delivery is sent.' });
    expect(await read(id)).toMatchObject({ state: 'sent' });
    expect(handled).toEqual([id]);
  });

  test('is recorded later and doesn’t count as a lost response if the receiver refuses the mail', async () => {
    const accept = await refuseRecords();
    const handler: DeliveryHandler = async (delivery) => {
      await recordHandOver(database, delivery);
      throw new DeliveryError('retry', 'smtp-451');
    };
    const { services, lines, measured } = setUp({ handler });
    const id = await store();
    const done = runJob(services, { deliveryId: id });
    await waitFor('a refused record', () => lines.length > 0);
    await accept();

    expect(await done).toEqual({ retryInMs: expect.any(Number) });
    expect(await read(id)).toMatchObject({
      ...{ state: 'pending', last_error: 'smtp-451', handed_over_at: null, lost_answers: 0, maybe_duplicate: false },
    });
    expect(measured).toEqual([['follow-up', 'retry', expect.any(Number)]]);
  });

  test('fails without a record when the worker shuts down, so the sweep decides what happens', async () => {
    await refuseRecords();
    const shutdown = new AbortController();
    const { services, lines } = setUp({ handler: () => Promise.reject(new DeliveryError('retry', 'smtp-451')) });
    const done = runJob({ ...services, shutdown: shutdown.signal }, { deliveryId: await store() });
    await Promise.all([
      expect(done).rejects.toMatchObject({ code: 'P0001' }),
      waitFor('a refused record', () => lines.length > 0).then(() => shutdown.abort()),
    ]);
  });

  test('counts as a lost response if it times out and the database can’t say whether its mail was handed over', async () => {
    let hasFailed = false;
    const failingOnce = new Proxy(database, {
      apply: (target, self, args: [string]) => {
        if (hasFailed) return Reflect.apply(target, self, args) as unknown;
        hasFailed = true;
        throw new Error('connection lost');
      },
    });
    const handler: DeliveryHandler = () => new Promise(() => undefined);
    const { services } = setUp({ handler, timings: { attempt: 50 } });
    const delivery = await claim(await store());
    await processClaimed({ ...services, database: failingOnce }, delivery);

    expect(await read(delivery.id)).toMatchObject({ state: 'pending', lost_answers: 1, maybe_duplicate: true });
  });

  test.each([
    ['its record was committed', 'sent', (work: Work) => database.transaction(work)],
    ['another worker had the lease', 'leased', () => database('deliveries').update({ lease_token: crypto.randomUUID() })],
  ])('is logged as possibly unrecorded if the connection was lost when %s', async (_what, state, beforeLoss) => {
    let isLost = true;
    const lossy = new Proxy(database, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (name !== 'transaction' || !isLost) return value;
        isLost = false;

        return async (work: Work) => {
          await beforeLoss(work);
          throw new Error('connection lost');
        };
      },
    });
    const { services, lines } = setUp();
    const id = await store();
    await runJob({ ...services, database: lossy }, { deliveryId: id });

    expect(await read(id)).toMatchObject({ state });
    expect(lines.map(({ msg }) => msg)).toEqual([
      'The outcome of a delivery is not recorded yet.',
      'A delivery was sent. The connection was lost while this was recorded, so another worker may send it again.',
    ]);
  });

  test('fails only when the lease ends if it can’t be recorded, so the sweep decides what happens', async () => {
    await refuseRecords();
    const { services, lines } = setUp({ timings: { lease: 2.5 * Second } });
    const startedAt = performance.now();

    await expect(runJob(services, { deliveryId: await store() })).rejects.toMatchObject({ code: 'P0001' });
    expect(performance.now() - startedAt).toBeGreaterThan(2.5 * Second);
    expect(lines.map(({ msg }) => msg)).toContain('The outcome of a delivery is not recorded yet.');
  });

  test('is dropped and logged as an error if it has no delivery id', async () => {
    const { services, lines } = setUp();
    await runJob(services, { deliveryId: 'x' });

    expect(lines).toMatchObject([{ level: 50, msg: 'A job without a delivery id was dropped.' }]);
  });
});
