import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { DeliveryError } from '../../../shared/node/outbound/delivery-error.ts';
import { listPauses } from '../../../shared/node/deliveries/delivery-pauses.ts';
import type { DeliveryRow } from '../../../shared/node/deliveries/delivery-table.ts';
import { Hour, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { runJob } from '../../support/delivery-job.ts';
import { waitFor } from '../../support/wait-for.ts';
import { change, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';
import { setUp, type Changes } from './worker-services.ts';

setUpDatabase();

const fail =
  (...parameters: ConstructorParameters<typeof DeliveryError>): DeliveryHandler =>
  () =>
    Promise.reject(new DeliveryError(...parameters));

describe('a failure', () => {
  const run = async (setting: Changes, values: Partial<DeliveryRow> = {}) => {
    const { services, ...seen } = setUp(setting);
    const id = await store(values);
    const result = await runJob(services, { deliveryId: id });

    return { ...seen, id, result, row: await read(id) };
  };

  test('is logged with its reason and retried after the back-off, or after the delay that the receiver asks for', async () => {
    const first = await run({ handler: fail('retry', 'smtp-451') });
    expect(first.result?.retryInMs).toBeLessThanOrEqual(30 * Second);
    expect(first.lines).toEqual([
      expect.objectContaining({
        ...{ level: 40, msg: 'A delivery failed and will be retried.', deliveryId: first.id, kind: 'follow-up' },
        ...{ stage: 'new', attempts: 1, reason: 'smtp-451', delayMs: first.result?.retryInMs },
      }),
    ]);
    expect(first.measured).toEqual([['follow-up', 'retry', expect.any(Number)]]);

    const asked = await run({ handler: fail('retry', 'crm-409', { waitsMs: Hour }) });
    expect(asked.result).toEqual({ retryInMs: Hour });
    expect(await listPauses(database)).toEqual([]);
    const short = await run({ handler: fail('retry', 'crm-409', { waitsMs: 1 }) });
    expect(short.result?.retryInMs).toBeGreaterThan(20 * Second);
  });

  test('raises an alert if the delivery is dead, and none if it is cancelled', async () => {
    const dead = await run({ handler: fail('dead', 'smtp-550') });
    expect(dead).toMatchObject({ result: undefined, row: { state: 'dead', last_error: 'smtp-550' } });
    expect(dead.lines).toMatchObject([{ level: 50, alert: 'delivery-dead', msg: 'A delivery is dead.', attempts: 1 }]);
    expect(dead.measured).toEqual([['follow-up', 'dead', expect.any(Number)]]);

    const cancelled = await run({ handler: fail('cancelled', 'contacted') });
    expect(cancelled).toMatchObject({ result: undefined, row: { state: 'cancelled' } });
    expect(cancelled.lines).toMatchObject([{ level: 30, msg: 'A delivery is cancelled.', reason: 'contacted' }]);
    expect(cancelled.lines[0]).not.toHaveProperty('alert');
    expect(cancelled.measured).toEqual([['follow-up', 'cancelled', expect.any(Number)]]);
  });

  test.each([
    ['dead', { state: 'cancelled', lease_token: null, lease_until: null }],
    ['paused', { lease_token: randomUUID() }],
  ] as const)('of a delivery that the worker no longer leases raises no alert and pauses nothing (%s)', async (result, meanwhile) => {
    const handler: DeliveryHandler = async ({ id }) => {
      await change(id, meanwhile);
      throw new DeliveryError(result, 'smtp-550');
    };
    const { lines, measured, row } = await run({ handler });

    expect(lines).toMatchObject([{ level: 40, msg: 'A delivery failed after its lease had ended.' }]);
    expect(lines[0]).not.toHaveProperty('alert');
    expect(measured).toEqual([['follow-up', 'retry', expect.any(Number)]]);
    expect(row).toMatchObject(meanwhile);
    expect(await listPauses(database)).toEqual([]);
  });

  test('cancels an acknowledgment that may have been sent, and retries one that was not sent', async () => {
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const lost = await run({ handler: fail('retry', 'lost', { isAmbiguous: true }) }, acknowledgment);
    expect(lost.row).toMatchObject({ state: 'cancelled', maybe_duplicate: true });
    expect((await run({ handler: fail('retry', 'smtp-451') }, acknowledgment)).row).toMatchObject({ state: 'pending' });
  });

  test('makes a delivery dead after 72 hours and ten attempts, but never because of the credentials', async () => {
    for (const [result, hours, attempts, state] of [
      ['retry', 73, 9, 'dead'],
      ['retry', 73, 8, 'pending'],
      ['retry', 71, 50, 'pending'],
      ['paused', 100, 50, 'pending'],
    ] as const) {
      const { row } = await run({ handler: fail(result, 'smtp-451') }, { due_at: ago(hours * Hour), attempts });
      expect(row).toMatchObject({ state });
    }
  });

  test('because of the credentials pauses the kind and raises an alert', async () => {
    const handler = fail('paused', 'crm-401');
    const first = await run({ handler, timings: { pause: Hour } });
    expect(first.result).toEqual({ retryInMs: Hour });
    expect(first.row).toMatchObject({ attempts: 0 });
    expect(Number(first.row?.retry_at) - Date.now()).toBeLessThanOrEqual(30 * Second);
    expect(first.measured).toEqual([['follow-up', 'paused', expect.any(Number)]]);
    expect(first.lines).toMatchObject([
      { level: 50, alert: 'kind-paused', msg: 'A kind of delivery is paused.', kind: 'follow-up', pauseMs: Hour },
      { level: 40, delayMs: Hour },
    ]);
  });

  test('because of the credentials raises one alert for all running deliveries', async () => {
    const [one, other] = [await store(), await store()];
    const started: string[] = [];
    const handler: DeliveryHandler = async ({ id }) => {
      started.push(id);
      await waitFor('the start of both', () => started.length === 2);
      throw new DeliveryError('paused', 'crm-401');
    };
    const { services, lines } = setUp({ handler });
    await Promise.all([one, other].map((deliveryId) => runJob(services, { deliveryId })));

    expect(lines.filter(({ alert }) => alert === 'kind-paused')).toHaveLength(1);
  });

  test('pauses the kind without an alert if the receiver asks for a pause', async () => {
    const { lines, result, row } = await run({ handler: fail('retry', 'crm-429', { kindWaitsMs: Hour }) });

    expect(result).toEqual({ retryInMs: Hour });
    expect(row).toMatchObject({ attempts: 1 });
    expect(lines[0]).toMatchObject({ level: 40, msg: 'A kind of delivery is paused because the receiver asked for it.', pauseMs: Hour });
    expect(lines[0]).not.toHaveProperty('alert');
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'crm-429' }]);
  });
});
