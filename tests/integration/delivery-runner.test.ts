import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createClaimLimiters } from '../../jobs/deliveries/claim-limiter.ts';
import {
  giveUpAddress,
  loadOpenSubmission,
  loadSubmission,
  makeHandOver,
  type DeliveryHandler,
} from '../../jobs/deliveries/delivery-handler.ts';
import { CONCURRENCY, processDelivery } from '../../jobs/deliveries/process-delivery.ts';
import { makeDueRunner, runAllDue } from '../../jobs/deliveries/run-due.ts';
import { makeSweep, type SweepServices } from '../../jobs/deliveries/sweep-deliveries.ts';
import { productionTimings, type Timings } from '../../shared/node/config/timings.ts';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { claimDelivery } from '../../shared/node/deliveries/claim-delivery.ts';
import { DeliveryError } from '../../shared/node/deliveries/delivery-error.ts';
import { listPauses } from '../../shared/node/deliveries/delivery-pauses.ts';
import { type DeliveryScheduler } from '../../shared/node/deliveries/delivery-scheduler.ts';
import type { DeliveryRow } from '../../shared/node/deliveries/delivery-table.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { TimeoutError } from '../../shared/node/process/with-timeout.ts';
import { Hour, Minute, Second } from '../../shared/time.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { openQueues } from '../support/queues.ts';
import { createRedisServer, type RedisServer } from '../support/redis-server.ts';
import { storeDelivery, storeSubmission } from '../support/stored-requests.ts';
import { waitFor } from '../support/wait-for.ts';

let database: Database;
let redis: RedisServer;

beforeAll(async () => {
  database = createDatabase(await createMigratedDatabase(), 'test');
  redis = await createRedisServer();
  await redis.start();

  return async () => {
    await redis.remove();
    await database.destroy();
  };
});

beforeEach(async () => {
  for (const table of ['deliveries', 'contact_submissions', 'delivery_pauses', 'delivery_hold']) {
    await database(table).delete();
  }
  await redis.command('flushall');
});

const ago = (ms: number) => new Date(Date.now() - ms);
const ahead = (ms: number) => ago(-ms);
const read = (id: string) => database<DeliveryRow>('deliveries').where({ id }).first();
const store = async (values: Partial<DeliveryRow> = {}) =>
  storeDelivery(database, await storeSubmission(database), values);
const lease = () => ({ token: crypto.randomUUID(), ms: Minute });
const expired = () => ({ state: 'leased', lease_token: crypto.randomUUID(), lease_until: ago(Second) }) as const;
const { signal: never } = new AbortController();

interface Changes {
  readonly handler?: DeliveryHandler;
  readonly timings?: Partial<Timings>;
  readonly scheduler?: DeliveryScheduler;
}

/** The services of a worker without rate limits, and all that it logged, measured and sent. */
function setUp({ handler, timings, scheduler }: Changes = {}) {
  const lines: Array<Readonly<Record<string, unknown>>> = [];
  const measured: unknown[][] = [];
  const handled: string[] = [];
  const handle: DeliveryHandler = async (delivery, signal) => {
    handled.push(delivery.id);

    return handler ? handler(delivery, signal) : { remoteRef: null, deferred: [] };
  };
  const unlimited = { 'follow-up': undefined, newsletter: undefined, acknowledgment: undefined, 'crm-export': undefined, chat: undefined };
  const services: SweepServices = {
    database,
    scheduler,
    handlers: { 'follow-up': handle, 'crm-export': handle, newsletter: handle, acknowledgment: handle, chat: handle },
    timings: { ...productionTimings, due: 20, ...timings },
    limiters: createClaimLimiters(unlimited),
    logger: createLogger({
      ...{ level: 'info', process: 'test' },
      stream: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
    }),
    metrics: { observeDelivery: (...values) => void measured.push(values) },
    sweepMetrics: {
      countRepairs: (...values) => void measured.push(values),
      recordSweep: () => void measured.push(['swept']),
    },
  };

  return { services, lines, measured, handled };
}

const fail =
  (...parameters: ConstructorParameters<typeof DeliveryError>): DeliveryHandler =>
  () =>
    Promise.reject(new DeliveryError(...parameters));

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

describe('a failure', () => {
  const run = async (setting: Changes, values: Partial<DeliveryRow> = {}) => {
    const { services, ...seen } = setUp(setting);
    const id = await store(values);
    const result = await processDelivery(services, { deliveryId: id });

    return { ...seen, id, result, row: await read(id) };
  };

  test('is logged with its reason and tried again after its back-off, or after what the other side asks', async () => {
    const first = await run({ handler: fail('retry', 'smtp-451') });
    expect(first.result?.retryInMs).toBeLessThanOrEqual(30 * Second);
    expect(first.lines).toEqual([
      expect.objectContaining({
        ...{ level: 40, msg: 'A delivery failed and is retried.', deliveryId: first.id, kind: 'follow-up' },
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

  test('for good raises an alert, or needs nobody', async () => {
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

  test('of an acknowledgment that may have come is the last; one that surely didn’t come is tried again', async () => {
    const acknowledgment = { kind: 'acknowledgment', stage: null } as const;
    const lost = await run({ handler: fail('retry', 'lost', { isAmbiguous: true }) }, acknowledgment);
    expect(lost.row).toMatchObject({ state: 'cancelled', maybe_duplicate: true });
    expect((await run({ handler: fail('retry', 'smtp-451') }, acknowledgment)).row).toMatchObject({ state: 'pending' });
  });

  test('is the last after 72 hours and ten attempts', async () => {
    const handler = fail('retry', 'smtp-451');
    for (const [hours, attempts, state] of [
      [73, 9, 'dead'],
      [73, 8, 'pending'],
      [71, 50, 'pending'],
    ] as const) {
      expect((await run({ handler }, { due_at: ago(hours * Hour), attempts })).row).toMatchObject({ state });
    }
  });

  test('of the credentials pauses the kind with an alert, once', async () => {
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

  test('of the credentials raises one alert for all that are under way', async () => {
    const [one, other] = [await store(), await store()];
    const begun: string[] = [];
    const handler: DeliveryHandler = async ({ id }) => {
      begun.push(id);
      await waitFor('both to begin', () => begun.length === 2);
      throw new DeliveryError('paused', 'crm-401');
    };
    const { services, lines } = setUp({ handler });
    await Promise.all([one, other].map((deliveryId) => processDelivery(services, { deliveryId })));

    expect(lines.filter(({ alert }) => alert === 'kind-paused')).toHaveLength(1);
  });

  test('of an other side that asks all to wait pauses the kind without an alert', async () => {
    const { lines, result, row } = await run({ handler: fail('retry', 'crm-429', { kindWaitsMs: Hour }) });

    expect(result).toEqual({ retryInMs: Hour });
    expect(row).toMatchObject({ attempts: 1 });
    expect(lines[0]).toMatchObject({ level: 40, msg: 'A kind of delivery is paused as its other side asks.', pauseMs: Hour });
    expect(lines[0]).not.toHaveProperty('alert');
    expect(await listPauses(database)).toMatchObject([{ kind: 'follow-up', reason: 'crm-429' }]);
  });
});

describe('a handler', () => {
  const claim = async (id: string) => {
    const claimed = await claimDelivery(database, id, lease());
    if (!claimed) throw new Error('It was not claimed.');

    return claimed;
  };

  test.each([
    ['erased', { anonymised_at: new Date() }, 'erased', 'erased'],
    ['held', { quarantined_at: new Date() }, 'quarantined', 'quarantined'],
    ['contacted', { contacted_at: new Date() }, undefined, 'contacted'],
    ['no fit', { unfit_at: new Date() }, undefined, 'unfit'],
    ['open', {}, undefined, undefined],
  ])('of a request that is %s knows whether it is wanted', async (_what, values, load, loadOpen) => {
    const submission = await storeSubmission(database, values);
    const claimed = await claim(await storeDelivery(database, submission));
    const reasonOf = (work: Promise<unknown>) =>
      work.then(
        () => undefined,
        (error: unknown) => (error instanceof DeliveryError && error.result === 'cancelled' ? error.reason : error),
      );

    expect(await reasonOf(loadSubmission(database, claimed))).toBe(load);
    expect(await reasonOf(loadOpenSubmission(database, claimed))).toBe(loadOpen);
    expect(await reasonOf(loadSubmission(database, { ...claimed, submissionId: null }))).toBe('erased');
  });

  test('gives an address up that is refused for good, or for the fourth time', async () => {
    const claimed = await claim(await store());
    const cause = new Error('550');
    const isGivenUp = (result: 'dead' | 'retry', isRecipientRefused: boolean, attempts: number) => {
      const error = new DeliveryError(result, 'smtp-550', { isRecipientRefused, cause });
      const outcome = giveUpAddress(error, { ...claimed, attempts });
      if (outcome !== error) expect(outcome).toMatchObject({ result: 'cancelled', reason: 'smtp-550', cause });

      return outcome !== error;
    };

    expect([1, 3, 4, 9].map((attempts) => isGivenUp('retry', true, attempts))).toEqual([false, false, true, true]);
    expect([1, 4].map((attempts) => isGivenUp('retry', false, attempts))).toEqual([false, false]);
    expect(isGivenUp('dead', false, 1)).toBe(true);
  });

  test('hands a mail over only when that is recorded; else it says why not', async () => {
    const claimed = await claim(await store());
    const isWanted = () => Promise.resolve();
    await makeHandOver(database, claimed, isWanted)();
    expect((await read(claimed.id))?.handed_over_at).toBeInstanceOf(Date);

    const lost = { ...claimed, leaseToken: crypto.randomUUID() };
    await expect(makeHandOver(database, lost, isWanted)()).rejects.toMatchObject({ result: 'retry', reason: 'lease-lost' });
    const settled = () => Promise.reject(new DeliveryError('cancelled', 'contacted'));
    await expect(makeHandOver(database, lost, settled)()).rejects.toMatchObject({ reason: 'contacted' });
    await makeHandOver(database, lost, settled, () => Promise.resolve(true))();
  });
});

describe('a worker without a queue', () => {
  /** Runs until the test ends; `stop` waits for what is under way. */
  function start(changes: Changes) {
    const seen = setUp(changes);
    const stopping = new AbortController();
    const errors: unknown[] = [];
    const running = makeDueRunner(seen.services, (error) => errors.push(error))(stopping.signal);
    const stop = () => {
      stopping.abort();

      return running;
    };
    onTestFinished(stop);

    return { ...seen, errors, stop };
  }

  test('sends what is due of each kind, by priority, and leaves the rest for its time', async () => {
    const exported = await store({ kind: 'crm-export', stage: null });
    const late = await store({ priority: 1, due_at: ago(Hour) });
    const first = await store({ due_at: ago(Minute) });
    const future = await store({ due_at: ahead(Hour) });
    const { handled, errors, stop } = start({});
    await waitFor('the deliveries', () => handled.length === 3);
    const next = await store();
    await waitFor('the next one', () => handled.length === 4);
    await stop();

    expect(handled.filter((id) => id !== exported)).toEqual([first, late, next]);
    expect(await read(future)).toMatchObject({ state: 'pending' });
    expect(errors).toEqual([]);
  });

  test('sends five of a kind at a time, lets no slow export hold up a mail, and begins nothing once it is to stop', async () => {
    const ends: Array<() => void> = [];
    const handler: DeliveryHandler = async ({ kind }) => {
      if (kind === 'crm-export') await new Promise<void>((resolve) => ends.push(resolve));

      return { remoteRef: null, deferred: [] };
    };
    for (let count = 0; count < 7; count += 1) await store({ kind: 'crm-export', stage: null });
    // No attempt ends by itself.
    const { handled, stop } = start({ handler, timings: { attempt: 10 * Minute } });
    await waitFor('five exports', () => ends.length === CONCURRENCY);
    const mail = await store();
    await waitFor('the mail', () => handled.includes(mail));
    expect(ends).toHaveLength(CONCURRENCY);
    ends[0]?.();
    await waitFor('the sixth', () => ends.length === 6);

    const stopped = stop();
    for (const end of ends) end();
    await stopped;
    expect(ends).toHaveLength(6);
    expect(await database('deliveries').where({ kind: 'crm-export', state: 'sent' })).toHaveLength(6);
    expect(await database('deliveries').where({ state: 'pending', attempts: 0 })).toHaveLength(1);
  });

  test('ends once what it has begun is recorded, also where nothing more is due', async () => {
    const handler: DeliveryHandler = async () => {
      await database.raw('select pg_sleep(0.2)');

      return { remoteRef: null, deferred: [] };
    };
    await store();
    await store();
    const { services } = setUp({ handler });
    await runAllDue(services, { readyForMs: 0, concurrency: CONCURRENCY }, never);

    expect(await database('deliveries').where({ state: 'sent' })).toHaveLength(2);
  });

  test('does so beside no other one, until that ends', async () => {
    const one = start({});
    const id = await store();
    await waitFor('the first', () => one.handled.includes(id));
    const other = setUp();
    await makeDueRunner(other.services, () => undefined)(never);
    expect(other.handled).toEqual([]);

    await one.stop();
    const next = start({});
    const later = await store();
    await waitFor('the next', () => next.handled.includes(later));
    expect(one.handled).toEqual([id]);
  });
});

describe('a sweep', () => {
  test('without a queue frees leases and raises an alert for what is dead, and sends nothing', async () => {
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

  test('queues what has no job, and sends itself what the queue has left for two minutes', async () => {
    const { scheduler } = await openQueues(redis.url);
    const left = await store({ due_at: ago(3 * Minute) });
    const fresh = await store({ due_at: ago(Minute) });
    const future = await store({ due_at: ahead(Hour) });
    const { services, lines, measured, handled } = setUp({ scheduler });
    await makeSweep(services)(never);

    expect(handled).toEqual([left]);
    expect(await read(fresh)).toMatchObject({ state: 'pending' });
    const ids = [fresh, future].map((id) => ({ id, kind: 'follow-up', delayMs: 1, priority: 0 }) as const);
    expect(await scheduler.findUnscheduled(ids)).toEqual([]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 30, jobs: 3, msg: 'Missing jobs were queued.' }));
    expect(measured).toContainEqual(['job_requeued', 3]);
    lines.length = 0;
    await makeSweep(services)(never);
    expect(lines.filter(({ msg }) => msg === 'Missing jobs were queued.')).toEqual([]);
  });

  test('sends all that is due, one of a kind at a time, while the queue is away', async () => {
    const { scheduler } = await openQueues(redis.url);
    const ids = [await store({ due_at: ago(2) }), await store({ due_at: ago(1) })];
    let [running, most] = [0, 0];
    const handler: DeliveryHandler = async () => {
      most = Math.max(most, (running += 1));
      await database.raw('select pg_sleep(0.01)');
      running -= 1;

      return { remoteRef: null, deferred: [] };
    };
    const { services, handled, measured, lines } = setUp({ handler, scheduler: { ...scheduler, isReady: () => false } });
    await makeSweep(services)(never);

    expect(handled).toEqual(ids);
    expect(most).toBe(1);
    expect(measured).not.toContainEqual(['job_requeued', expect.anything()]);
    expect(lines.filter(({ alert }) => alert)).toEqual([]);
  });

  test('raises an alert for a queue that takes no jobs, and sends what is due', async () => {
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

  test('waits no longer than it may for a queue that hangs, and repairs it once only until that ends', async () => {
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

  test('stops early with its signal', async () => {
    const { scheduler } = await openQueues(redis.url);
    await store({ due_at: ago(Hour) });
    const { services, handled } = setUp({ scheduler });
    await makeSweep(services)(AbortSignal.abort());

    expect(handled).toEqual([]);
  });

  test('reports what is overdue, again only after as much time', async () => {
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

  test('that takes too long fails, and reports all the same what is overdue', async () => {
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
