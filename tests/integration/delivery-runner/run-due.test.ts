import { describe, expect, onTestFinished, test } from 'vitest';
import { makeDueRunner, runAllDue, type ClaimLimiter } from '../../../jobs/deliveries/run-due.ts';
import type { DeliveryHandler } from '../../../jobs/deliveries/delivery-handler.ts';
import { kindRules } from '../../../shared/deliveries/delivery.ts';
import { Hour, Minute } from '../../../shared/time.ts';
import { ago } from '../../support/ago.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ahead, database, read, setUpDatabase, store } from '../delivery-store/fixture.ts';
import { never, setUp, type Changes } from './worker-services.ts';

setUpDatabase();

describe('a worker without a queue', () => {
  /** Runs until the test ends. `stop` waits for running attempts. */
  function start({ limiter, ...changes }: Changes & { limiter?: ClaimLimiter }) {
    const seen = setUp(changes);
    const services = limiter ? { ...seen.services, limiters: { ...seen.services.limiters, 'crm-export': limiter } } : seen.services;
    const stopping = new AbortController();
    const errors: unknown[] = [];
    const running = makeDueRunner(services, (error) => errors.push(error))(stopping.signal);
    const stop = () => {
      stopping.abort();

      return running;
    };
    onTestFinished(stop);

    return { ...seen, errors, stop };
  }

  /** Runs a worker whose exports hang. `ends` contains functions that finish them, in starting order. */
  function startWithWaitingExports(changes: { readonly limiter?: ClaimLimiter } = {}) {
    const ends: Array<() => void> = [];
    let isTestOver = false;
    const handler: DeliveryHandler = async ({ kind }) => {
      if (kind === 'crm-export' && !isTestOver) await new Promise<void>((resolve) => ends.push(resolve));

      return { remoteRef: null, deferred: [] };
    };
    // The time limit is longer than the test, so no attempt times out.
    const started = start({ ...changes, handler, timings: { attempt: 10 * Minute } });
    // Runs before the runner's `stop`, which waits for the exports.
    onTestFinished(() => {
      isTestOver = true;
      for (const end of ends) end();
    });

    return { ...started, ends };
  }

  test('sends the due deliveries of each kind, oldest first, and sends future ones only when they become due', async () => {
    const exported = await store({ kind: 'crm-export', stage: null });
    const second = await store({ due_at: ago(Minute) });
    const first = await store({ due_at: ago(Hour) });
    const future = await store({ due_at: ahead(Hour) });
    const { handled, errors, stop } = start({});
    await waitFor('the deliveries', () => handled.length === 3);
    const next = await store();
    await waitFor('the next delivery', () => handled.length === 4);
    await stop();

    expect(handled.filter((id) => id !== exported)).toEqual([first, second, next]);
    expect(await read(future)).toMatchObject({ state: 'pending' });
    expect(errors).toEqual([]);
  });

  test('runs three exports at a time, sends mails while slow exports run, and starts nothing after it is stopped', async () => {
    for (let count = 0; count < 5; count += 1) await store({ kind: 'crm-export', stage: null });
    const { ends, handled, stop } = startWithWaitingExports();
    await waitFor('three exports', () => ends.length === kindRules['crm-export'].concurrency);
    const mail = await store();
    await waitFor('the mail', () => handled.includes(mail));
    expect(ends).toHaveLength(3);
    ends[0]?.();
    await waitFor('the fourth export', () => ends.length === 4);

    const stopped = stop();
    for (const end of ends) end();
    await stopped;
    expect(ends).toHaveLength(4);
    expect(await database('deliveries').where({ kind: 'crm-export', state: 'sent' })).toHaveLength(4);
    expect(await database('deliveries').where({ state: 'pending', attempts: 0 })).toHaveLength(1);
  });

  test('keeps the limit of concurrent exports after a database error', async () => {
    for (let count = 0; count < 6; count += 1) await store({ kind: 'crm-export', stage: null });
    let claims = 0;
    const failOnce: ClaimLimiter = (claim) => {
      claims += 1;

      return claims === 3 ? Promise.reject(new Error('Connection terminated unexpectedly')) : claim();
    };
    const { ends, handled, errors, stop } = startWithWaitingExports({ limiter: failOnce });
    const sendMail = async () => {
      const mail = await store();
      await waitFor('the mail', () => handled.includes(mail));
    };
    await waitFor('the failure', () => claims >= 3);
    // Between two mails, the runner looks for exports once, unless it is waiting for running ones.
    await sendMail();
    await sendMail();
    expect(ends).toHaveLength(2);

    for (const end of ends) end();
    await waitFor('the highest number of exports', () => ends.length === 2 + kindRules['crm-export'].concurrency);
    await sendMail();
    expect(ends).toHaveLength(5);
    expect(errors).toHaveLength(1);
    const stopped = stop();
    for (const end of ends) end();
    await stopped;
  });

  test('ends only after its deliveries are recorded, even if no others are due', async () => {
    const handler: DeliveryHandler = async () => {
      await database.raw('select pg_sleep(0.2)');

      return { remoteRef: null, deferred: [] };
    };
    await store();
    await store();
    const { services } = setUp({ handler });
    await runAllDue(services, { readyForMs: 0, concurrency: 5 }, never);

    expect(await database('deliveries').where({ state: 'sent' })).toHaveLength(2);
  });

  test('sends nothing while another worker runs, and can take over after that worker has stopped', async () => {
    const one = start({});
    const id = await store();
    await waitFor('the first delivery', () => one.handled.includes(id));
    const other = setUp();
    await makeDueRunner(other.services, () => undefined)(never);
    expect(other.handled).toEqual([]);

    await one.stop();
    const next = start({});
    const later = await store();
    await waitFor('the later delivery', () => next.handled.includes(later));
    expect(one.handled).toEqual([id]);
  });
});
