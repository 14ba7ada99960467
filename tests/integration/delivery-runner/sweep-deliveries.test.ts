import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { makeSweep, SWEEP_LOCK } from '../../../jobs/deliveries/sweep-deliveries.ts';
import { tryWithAdvisoryLock } from '../../../shared/node/database/advisory-lock.ts';
import type { DeliveryScheduler } from '../../../shared/node/deliveries/delivery-scheduler.ts';
import { pauseUntilProviderIsSet, listPauses, listKindsWithProvider, pauseKind } from '../../../shared/node/deliveries/delivery-pauses.ts';
import { TimeoutError } from '../../../shared/node/process/with-timeout.ts';
import { Hour, Minute, Second } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { openQueues } from '../../support/queues.ts';
import { createRedisServer, type RedisServer } from '../../support/redis-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ahead, database, expired, read, running, setUpDatabase, store } from '../delivery-store/fixture.ts';
import { never, setUp } from './worker-services.ts';

let redis: RedisServer;

setUpDatabase();

beforeAll(async () => {
  redis = await createRedisServer();
  await redis.start();

  return () => redis.remove();
});

beforeEach(async () => {
  await redis.command('flushall');
});

describe('a sweep', () => {
  test('without a queue ends expired leases, raises an alert for dead deliveries and sends nothing', async () => {
    const freed = await store(expired());
    const dead = await store({ ...expired(), lease_expiries: 9 });
    const { services, lines, measured, handled } = setUp();
    await makeSweep(services)(never);

    expect(await read(freed)).toMatchObject({ state: 'pending' });
    expect(handled).toEqual([]);
    expect(lines).toMatchObject([
      { level: 40, returned: 1, msg: 'Deliveries whose lease expired are pending again.' },
      { level: 50, deliveryIds: [dead], alert: 'delivery-dead', msg: expect.stringContaining('Deliveries are dead') },
    ]);
    expect(measured).toEqual([['lease_freed', 1], ['lease_dead', 1], ['swept']]);
    lines.length = 0;
    await makeSweep(services)(never);
    expect(lines).toEqual([]);
  });

  test('runs in one worker at a time, and only that worker counts it in its metrics', async () => {
    await store(expired());
    const { services, measured } = setUp();
    await tryWithAdvisoryLock(database, SWEEP_LOCK, () => makeSweep(services)(never));

    expect(measured).toEqual([]);
    await makeSweep(services)(never);
    expect(measured).toContainEqual(['swept']);
  });

  test('resets due times, retry times, leases and pauses that were set while a clock was ahead', async () => {
    const first = await store({ due_at: ahead(25 * Hour) });
    const exported = await store({ kind: 'crm-export', stage: null, due_at: ahead(25 * Hour) });
    const retried = await store({ retry_at: ahead(25 * Hour) });
    const leased = await store(running(25 * Hour));
    const soon = await store({ retry_at: ahead(2 * Hour) });
    const exportedLater = await store({ kind: 'crm-export', stage: null, retry_at: ahead(6 * Hour) });
    const reminder = await store({ stage: 'due', due_at: ahead(25 * Hour), retry_at: ahead(10 * Minute) });
    await pauseKind(database, 'follow-up', { ms: 25 * Hour, reason: 'smtp-535', endsWithRestart: true });
    await pauseUntilProviderIsSet(database, 'chat');
    const before = await Promise.all([reminder, exportedLater].map(read));
    const { services, lines } = setUp();
    await makeSweep(services)(never);

    const times = await Promise.all([first, exported, retried, leased, soon].map(read));
    const [one, two, three, four, five] = times.map((row) => [row?.due_at, row?.retry_at, row?.lease_until]);
    for (const time of [one?.[0], two?.[0], three?.[1], five?.[1]]) expect(Number(time)).toBeLessThanOrEqual(Date.now());
    expect(Number(four?.[2])).toBeLessThanOrEqual(Date.now() + Minute);
    // The worker may still be processing this delivery.
    expect(Number(four?.[2])).toBeGreaterThan(Date.now() + 30 * Second);
    expect(await Promise.all([reminder, exportedLater].map(read))).toEqual(before);
    expect(await listPauses(database)).toEqual([]);
    expect(await listKindsWithProvider(database)).not.toContain('chat');
    expect(lines).toMatchObject([{ level: 40, deliveries: 5, msg: expect.stringContaining('times in the future') }]);

    lines.length = 0;
    await makeSweep(services)(never);
    expect(lines).toEqual([]);
  });

  test('queues deliveries without a job, and sends those that the queue has not processed for two minutes', async () => {
    const { scheduler } = await openQueues(redis.url);
    const left = await store({ due_at: ago(3 * Minute) });
    const fresh = await store({ due_at: ago(Minute) });
    const future = await store({ stage: 'due', due_at: ahead(Hour) });
    const { services, lines, measured, handled } = setUp({ scheduler });
    await makeSweep(services)(never);

    expect(handled).toEqual([left]);
    expect(await read(fresh)).toMatchObject({ state: 'pending' });
    const ids = [fresh, future].map((id) => ({ id, kind: 'follow-up', delayMs: 1 }) as const);
    expect(await scheduler.findUnscheduled(ids)).toEqual([]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 30, jobs: 3, msg: 'Missing jobs were queued.' }));
    expect(measured).toContainEqual(['job_requeued', 3]);
    lines.length = 0;
    await makeSweep(services)(never);
    expect(lines.filter(({ msg }) => msg === 'Missing jobs were queued.')).toEqual([]);
  });

  test('sends all due deliveries while the queue is down, one at a time per kind', async () => {
    const { scheduler } = await openQueues(redis.url);
    const ids = [await store({ due_at: ago(2) }), await store({ due_at: ago(1) })];
    let [running, maximum] = [0, 0];
    const handler: DeliveryHandler = async () => {
      maximum = Math.max(maximum, (running += 1));
      await database.raw('select pg_sleep(0.01)');
      running -= 1;

      return { remoteRef: null, deferred: [] };
    };
    const { services, handled, measured, lines } = setUp({ handler, scheduler: { ...scheduler, isReady: () => false } });
    await makeSweep(services)(never);

    expect(handled).toEqual(ids);
    expect(maximum).toBe(1);
    expect(measured).not.toContainEqual(['job_requeued', expect.anything()]);
    expect(lines.filter(({ alert }) => alert)).toEqual([]);
  });

  test('raises an alert if the queue accepts no jobs, and sends the due deliveries', async () => {
    const { scheduler } = await openQueues(redis.url);
    await redis.command('config', 'set', 'maxmemory', '1');
    onTestFinished(() => redis.command('config', 'set', 'maxmemory', '0').then(() => undefined));
    const id = await store();
    const { services, handled, lines } = setUp({ scheduler });
    await makeSweep(services)(never);

    expect(handled).toEqual([id]);
    expect(lines).toContainEqual(
      expect.objectContaining({ level: 50, alert: 'queue-out-of-order', msg: 'Jobs could not be queued.' }),
    );
  });

  test('fails without a queue alert if the database connection is lost during the search for missing jobs', async () => {
    const { scheduler } = await openQueues(redis.url);
    const { services, lines } = setUp();
    let isLost = false;
    const lost = new Proxy(services.database, {
      apply: (target, self, args: [string]) => {
        if (isLost) throw new Error('connection lost');

        return Reflect.apply(target, self, args) as unknown;
      },
    });
    const sweep = makeSweep({ ...services, database: lost, scheduler: { ...scheduler, isReady: () => (isLost = true) } });

    await expect(sweep(never)).rejects.toThrow('connection lost');
    expect(lines.filter(({ alert }) => alert)).toEqual([]);
  });

  test('stops waiting for a hanging queue, and starts no second repair until the first one has ended', async () => {
    const { scheduler } = await openQueues(redis.url);
    let searches = 0;
    let end: (found: []) => void = () => undefined;
    const hanging: DeliveryScheduler = {
      ...scheduler,
      findUnscheduled: () => {
        searches += 1;

        return new Promise((resolve) => {
          end = resolve;
        });
      },
    };
    const { services, handled } = setUp({ scheduler: hanging, timings: { queueCheck: 50 } });
    const sweep = makeSweep(services);
    const first = await store();
    await sweep(never);
    const second = await store();
    await sweep(never);
    expect(handled).toEqual([first, second]);
    expect(searches).toBe(1);

    end([]);
    await store();
    await waitFor('the next repair', async () => {
      await sweep(never);

      return searches === 2;
    });
    end([]);
  });

  test('stops early when its signal aborts', async () => {
    const { scheduler } = await openQueues(redis.url);
    await store({ due_at: ago(Hour) });
    const { services, handled } = setUp({ scheduler });
    await makeSweep(services)(AbortSignal.abort());

    expect(handled).toEqual([]);
  });

  test('reports an overdue delivery, and repeats the report only after the alert interval', async () => {
    await store({ due_at: ago(16 * Minute) });
    const { services, lines } = setUp();
    const sweep = makeSweep(services);
    await sweep(never);
    await sweep(never);

    expect(lines).toEqual([
      expect.objectContaining({ level: 50, alert: 'delivery-overdue', msg: 'A delivery is overdue.' }),
    ]);
    expect(lines[0]?.['overdueMs']).toBeGreaterThanOrEqual(16 * Minute);
    expect(Number.isInteger(lines[0]?.['overdueMs'])).toBe(true);
    const often = setUp({ timings: { alertAfter: 1 } });
    const sweepOften = makeSweep(often.services);
    await sweepOften(never);
    await sweepOften(never);
    expect(often.lines).toHaveLength(2);
    const early = setUp({ timings: { alertAfter: Hour } });
    await makeSweep(early.services)(never);
    expect(early.lines).toEqual([]);
  });

  test('fails if it takes too long, but still reports overdue deliveries', async () => {
    const { scheduler } = await openQueues(redis.url);
    await store({ due_at: ago(Hour) });
    const ends: Array<() => void> = [];
    const handler: DeliveryHandler = async () => {
      await new Promise<void>((resolve) => ends.push(resolve));

      return { remoteRef: null, deferred: [] };
    };
    const timings = { queueCheck: 200, sweep: 50, lease: 50, attempt: 5 * Second };
    const { services, lines, measured } = setUp({ scheduler, handler, timings });

    await expect(makeSweep(services)(never)).rejects.toThrow(TimeoutError);
    expect(lines.filter(({ alert }) => alert === 'delivery-overdue')).toHaveLength(1);
    expect(measured).not.toContainEqual(['swept']);
    for (const end of ends) end();
  });
});
