import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { getJobId } from '../../shared/deliveries/delivery.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { setUpDeliveries, startWeb, startWorker, untilSent } from '../support/delivery-fixture.ts';
import { scrape, withMetrics } from '../support/metrics.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { startOwnPostgres } from '../support/own-postgres.ts';
import { requestRaw } from '../support/raw-http.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const LATER = { FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' };

/** Web and worker with a metrics server each. */
async function startBoth(changes: Readonly<Record<string, string>> = {}) {
  const fixture = await setUpDeliveries(changes);
  const web = await withMetrics(fixture.settings);
  const worker = await withMetrics(fixture.settings);
  const { origin } = await openWeb(web.settings);
  await openWorker(worker.settings);

  return { ...fixture, origin, web: web.origin, worker: worker.origin };
}

/** Names of our own metrics in a file for Prometheus or Grafana. */
async function listNamesIn(file: string): Promise<string[]> {
  const text = await readFile(new URL(`../../monitoring/${file}`, import.meta.url), 'utf8');

  return [...new Set(text.match(/\bsite_[a-z0-9_]+/g))];
}

describe('the metrics', () => {
  test('count a request by its channel and by its result', async () => {
    const fixture = await setUpDeliveries({ ...LATER, RATE_LIMIT_CONTACT: '2/10m' });
    const { settings, origin } = await withMetrics(fixture.settings);
    const web = await openWeb(settings);
    const body = makeContactBody();
    const postForm = (fields: Record<string, string>) =>
      fetch(`${web.origin}/contact`, {
        method: 'POST',
        body: new URLSearchParams(fields),
        redirect: 'manual',
      });

    await postContact(web.origin, body);
    await postContact(web.origin, body);
    await postContact(web.origin, { ...body, company: 'Another' });
    await postContact(web.origin, makeContactBody({ email: 'nobody' }));
    await postForm({ name: 'Ada', email: 'ada@example.org', company: 'Sweets' });
    await postForm({ name: '', email: 'ada@example.org', company: 'Sweets' });
    await postContact(web.origin, makeContactBody());

    const { read } = await scrape(origin);
    const counts = (channel: string) =>
      ['accepted', 'repeated', 'conflict', 'invalid', 'rate_limited', 'unavailable'].map((result) =>
        read('site_submissions_total', { door: channel, result }),
      );
    expect(counts('json')).toEqual([1, 1, 1, 1, 1, 0]);
    expect(counts('form')).toEqual([1, 0, 0, 1, 0, 0]);
  });

  test('measure responses under the route’s pattern, never under the URL', async () => {
    const { settings } = await setUpDeliveries(LATER);
    const listener = await withMetrics(settings);
    const web = await openWeb(listener.settings);
    await fetch(`${web.origin}/follow-up/some-token-of-somebody`);
    await fetch(`${web.origin}/no-such-page?email=canary@example.org`);

    const { text, read } = await scrape(listener.origin);

    const count = 'site_http_request_duration_seconds_count';
    expect(read(count, { method: 'GET', route: '/follow-up/:token', status: '4xx' })).toBe(1);
    expect(text).not.toMatch(/some-token|no-such-page|canary/);
  });

  test('tell what browsers ask for ahead of a visit from visits, and so does the log', async () => {
    const { settings } = await setUpDeliveries(LATER);
    const listener = await withMetrics(settings);
    const web = await openWeb(listener.settings);
    await fetch(`${web.origin}/about`);
    await fetch(`${web.origin}/about`, { headers: { 'sec-purpose': 'prefetch;prerender' } });

    const { read } = await scrape(listener.origin);

    expect(read('site_http_request_duration_seconds_count', { method: 'GET', route: '/*', status: '2xx' })).toBe(2);
    expect(read('site_http_prefetches_total', { route: '/*' })).toBe(1);
    expect(web.output().split('\n').filter((line) => line.includes('"prefetch":true'))).toHaveLength(1);
  });

  test('of both processes show the deliveries by kind, stage and state', async () => {
    const { database, origin, web, worker } = await startBoth(LATER);
    await postContact(origin, makeContactBody());
    await waitFor('mail and export', async () => {
      const sent = await database('deliveries').where({ state: 'sent' });

      return sent.length === 2;
    });

    for (const listener of [web, worker]) {
      await waitFor('the metrics to be read again', async () => {
        const { read } = await scrape(listener);

        return read('site_deliveries', { kind: 'follow-up', stage: 'new', state: 'sent' }) === 1;
      });
      const { read } = await scrape(listener);
      expect(read('site_deliveries', { kind: 'crm-export', stage: 'none', state: 'sent' })).toBe(1);
      expect(read('site_deliveries', { kind: 'follow-up', stage: 'due', state: 'pending' })).toBe(1);
      expect(read('site_deliveries', { kind: 'follow-up', stage: 'due', state: 'dead' })).toBe(0);
      expect(read('site_delivery_oldest_due_seconds')).toBe(0);
      expect(read('site_postgres_up')).toBe(1);
      expect(read('site_redis_up')).toBe(1);
    }
    const { read } = await scrape(worker);
    const tries = 'site_delivery_duration_seconds_count';
    expect(read(tries, { kind: 'follow-up', result: 'sent' })).toBe(1);
    expect(read(tries, { kind: 'crm-export', result: 'sent' })).toBe(1);
    expect(read('site_sweep_last_success_timestamp_seconds')).toBeGreaterThan(1.7e9);
  });

  test('of web include the age of what is due while no worker runs', async () => {
    const fixture = await setUpDeliveries(LATER);
    const { settings, origin } = await withMetrics(fixture.settings);
    const web = await openWeb(settings);
    await postContact(web.origin, makeContactBody());
    await fixture.database('deliveries')
      .where({ kind: 'crm-export' })
      .update({ due_at: fixture.database.raw("now() - interval '10 minutes'") });

    await waitFor('the age', async () => {
      const { read } = await scrape(origin);

      return (read('site_delivery_oldest_due_seconds') ?? 0) > 600;
    });
    const { read } = await scrape(origin);
    expect(
      read('site_delivery_oldest_due_by_kind_seconds', { kind: 'crm-export' }),
    ).toBeGreaterThan(600);
    expect(read('site_delivery_oldest_due_by_kind_seconds', { kind: 'follow-up' })).toBeLessThan(60);
    expect(read('site_deliveries_held')).toBe(0);

    await fixture.database('delivery_hold').insert({ backup_at: null });
    await waitFor('the hold', async () => (await scrape(origin)).read('site_deliveries_held') === 1);
  });

  test('count what the sweep repaired, and name a kind that is paused', async () => {
    const { database, origin, redis, worker } = await startBoth(LATER);
    await postContact(origin, makeContactBody());
    await waitFor('mail and export', async () => {
      return (await database('deliveries').where({ state: 'sent' })).length === 2;
    });
    const before = (await scrape(worker)).read('site_sweep_repairs_total', { repair: 'job_requeued' });
    await redis.command('FLUSHALL');
    await database('delivery_pauses').insert({
      kind: 'crm-export',
      until: database.raw("now() + interval '1 hour'") as never,
      reason: 'credentials-refused',
      ends_with_restart: true,
    });

    await waitFor('the repairs to be counted', async () => {
      const { read } = await scrape(worker);

      return (
        read('site_sweep_repairs_total', { repair: 'job_requeued' }) === (before ?? 0) + 2 &&
        read('site_delivery_kind_paused', { kind: 'crm-export' }) === 1
      );
    });
    const { read } = await scrape(worker);
    expect(read('site_delivery_kind_paused', { kind: 'follow-up' })).toBe(0);
    expect(read('site_sweep_repairs_total', { repair: 'lease_freed' })).toBe(0);
  });

  test('have every name that the alert rules and the dashboard use', async () => {
    const { database, origin, web, worker } = await startBoth(LATER);
    await postContact(origin, makeContactBody());
    await database('contact_submissions').update({ contacted_at: database.fn.now() });
    const names = await waitFor('the response-time metrics', async () => {
      const scrapes = [await scrape(web), await scrape(worker)];
      // What a worker can't read, such as the image in a test, has no sample.
      const listTypes = (text: string) => [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
      const all = new Set(scrapes.flatMap((each) => [...each.names, ...listTypes(each.text)]));

      return all.has('site_promise_kept_ratio') && all;
    });

    for (const file of ['alert-rules.yml', 'grafana-dashboard.json']) {
      const used = await listNamesIn(file);
      expect(used.length).toBeGreaterThan(8);
      expect(used.filter((name) => !names.has(name))).toEqual([]);
    }
  });

  test('and the queue dashboard have nothing personal', async () => {
    const canary = `canary${randomBytes(6).toString('hex')}`;
    const { database, origin, web, worker } = await startBoth(LATER);
    await postContact(
      origin,
      makeContactBody({
        name: `${canary} name`,
        email: `${canary}@example.org`,
        company: `${canary} company`,
        message: `${canary} message`,
        source: { utm_source: canary, landing_path: `/${canary}` },
      }),
    );
    await waitFor('mail and export', async () => {
      return (await database('deliveries').where({ state: 'sent' })).length === 2;
    });
    const [waiting] = await database('deliveries').where({ state: 'pending' });
    const paths = [
      '/metrics',
      '/queues',
      '/queues/api/queues?activeQueue=follow-up&page=1&jobsPerPage=50',
      `/queues/api/queues/follow-up/${getJobId(waiting?.id ?? '')}`,
      '/queues/api/redis/stats',
    ];

    for (const address of [web, worker].flatMap((listener) => paths.map((path) => listener + path))) {
      const response = await fetch(address);
      expect([address, response.status]).toEqual([address, 200]);
      expect(await response.text()).not.toContain(canary);
    }
  });
});

describe('the metrics server', () => {
  test('shares nothing with the public one', async () => {
    const { origin, web } = await startBoth(LATER);

    for (const path of ['/metrics', '/queues', '/queues/', '/queues/api/queues']) {
      expect((await fetch(origin + path)).status).toBe(404);
    }
    for (const path of ['/', '/contact', '/health/live', '/api/contact-submissions']) {
      expect((await fetch(web + path)).status).toBe(404);
    }
  });

  test('serves loopback, its own address and its service’s name, and no other host', async () => {
    const { settings } = await setUpDeliveries(LATER);
    const listener = await withMetrics({ ...settings, METRICS_HOST: '0.0.0.0' });
    await openWeb(listener.settings);
    const { port } = new URL(listener.origin);
    const getStatus = async (host: string, path = '/metrics') =>
      (await requestRaw(listener.origin + path, { headers: { host: `${host}:${port}` } })).status;
    const own = ['localhost', '127.0.0.1', '[::1]', 'web', 'WEB', 'tasks.web', hostname()];
    const foreignHosts = ['rebound.example.com', 'localhost.example.com', '10.0.0.5', 'worker', '0x', 'a b'];

    for (const host of own) expect([host, await getStatus(host)]).toEqual([host, 200]);
    for (const host of foreignHosts) {
      expect([host, await getStatus(host)]).toEqual([host, 421]);
      expect(await getStatus(host, '/queues')).toBe(421);
    }
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    if (address !== undefined) {
      const response = await fetch(`http://${address}:${port}/metrics`);
      expect(response.status).toBe(200);
    }
  });

  test('whose port is in use does not prevent the process from running', async () => {
    const fixture = await setUpDeliveries();
    const { settings } = await withMetrics(fixture.settings);
    const squatter = createServer().listen(Number(settings.METRICS_PORT), '127.0.0.1');
    await once(squatter, 'listening');
    onTestFinished(() => void squatter.close());

    const web = await startWeb(settings);
    const worker = await startWorker(settings);
    await postContact(web.origin, makeContactBody());
    await untilSent(fixture.database, 4);

    await expect.poll(web.output, { timeout: 10_000 }).toContain('"alert":"metrics-off"');
    await expect.poll(worker.output, { timeout: 10_000 }).toContain('"alert":"metrics-off"');
    await waitFor('both to record the alert, for a worker to send', async () => {
      const row = await fixture.database('alerts').where({ name: 'metrics-off', channel: 'mail' }).first();

      return row?.count === 2;
    });
  });

  test('ends with its process', async () => {
    const fixture = await setUpDeliveries(LATER);
    const { settings, origin } = await withMetrics(fixture.settings);
    const worker = await startWorker(settings);
    await fetch(`${origin}/queues/api/queues`);

    expect(await worker.stop()).toBe(0);
    await expect(fetch(`${origin}/metrics`)).rejects.toThrow();
  });

  test('responds while Redis is down, while it hangs, and after it is back', async () => {
    const { database, origin, redis, web, worker } = await startBoth(LATER);
    await postContact(origin, makeContactBody());
    await waitFor('mail and export', async () => {
      return (await database('deliveries').where({ state: 'sent' })).length === 2;
    });
    const isUp = async (listener: string) => (await scrape(listener)).read('site_redis_up');
    const readBoard = (listener: string) =>
      fetch(`${listener}/queues/api/queues`).then(({ status }) => status);
    expect(await readBoard(web)).toBe(200);

    for (const [fail, restore] of [
      [() => redis.kill(), () => redis.start()],
      [async () => redis.freeze(), async () => redis.thaw()],
    ] as const) {
      await fail();
      for (const listener of [web, worker]) {
        expect(await isUp(listener)).toBe(0);
        expect(await readBoard(listener)).toBeGreaterThanOrEqual(500);
        expect((await scrape(listener)).read('site_postgres_up')).toBe(1);
      }
      await restore();
      for (const listener of [web, worker]) {
        await waitFor('Redis to be seen', async () => (await isUp(listener)) === 1);
        await waitFor('the queue dashboard', async () => (await readBoard(listener)) === 200);
      }
    }
  });

  test.each(['refuses', 'hangs'])(
    'reports it while PostgreSQL %s, even before the worker has seen PostgreSQL',
    async (fault) => {
      const fixture = await setUpDeliveries(LATER);
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      onTestFinished(() => void silent.close());
      const port = fault === 'hangs' ? (silent.address() as AddressInfo).port : 1;
      const away = { ...fixture.settings, DATABASE_URL: `postgres://nobody@127.0.0.1:${port}/nothing` };
      const web = await withMetrics(away);
      const worker = await withMetrics(away);
      await openWeb(web.settings);
      const waiting = startProcess('jobs/main.ts', worker.settings);
      onTestFinished(async () => {
        await waiting.stop();
      });
      await waitFor('the listener', () =>
        fetch(`${worker.origin}/queues`).then(
          () => true,
          () => false,
        ),
      );

      for (const listener of [web.origin, worker.origin]) {
        const { read, names } = await scrape(listener);
        expect(read('site_postgres_up')).toBe(0);
        expect(names).not.toContain('site_deliveries');
        expect(names).not.toContain('site_delivery_oldest_due_seconds');
        expect(names).toContain('site_nodejs_eventloop_lag_p99_seconds');
      }
      expect(waiting.hasExited()).toBe(false);
    },
  );

  test('has the metrics again once PostgreSQL is back', async () => {
    const postgres = await startOwnPostgres();
    const { settings, origin } = await withMetrics({ DATABASE_URL: postgres.url });
    const web = await openWeb(settings);
    expect((await scrape(origin)).read('site_delivery_oldest_due_seconds')).toBe(0);

    await postgres.kill();
    await waitFor('the loss to be seen', async () => {
      const { read, names } = await scrape(origin);

      return read('site_postgres_up') === 0 && !names.has('site_delivery_oldest_due_seconds');
    });
    expect((await fetch(web.origin)).status).toBe(200);

    await postgres.start();
    await waitFor('the metrics', async () => {
      const { names } = await scrape(origin);

      return names.has('site_delivery_oldest_due_seconds');
    });
  });
});

describe('the queue dashboard', () => {
  test('reports without Redis that there are no queues', async () => {
    const fixture = await setUpDeliveries(LATER);
    const { settings, origin } = await withMetrics({ ...fixture.settings, REDIS_URL: '' });
    await openWeb(settings);

    const response = await fetch(`${origin}/queues`);
    expect(response.status).toBe(404);
    expect(await response.text()).toBe('There are no queues: REDIS_URL is not set.\n');
    expect((await scrape(origin)).names).not.toContain('site_redis_up');
  });

  test('shows the queues and changes nothing', async () => {
    const fixture = await setUpDeliveries(LATER);
    const { settings, origin } = await withMetrics(fixture.settings);
    const web = await openWeb(settings);
    await postContact(web.origin, makeContactBody());
    const readQueues = async () => {
      const response = await fetch(`${origin}/queues/api/queues?activeQueue=follow-up`);

      return (await response.json()) as {
        queues: Array<{
          name: string;
          readOnlyMode: boolean;
          counts: { delayed: number };
          jobs: Array<{ id: string }>;
        }>;
      };
    };
    const followUp = await waitFor('the jobs', async () => {
      const { queues } = await readQueues();
      expect(queues.map(({ name }) => name)).toEqual(['follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat']);
      const [first] = queues;

      return first?.counts.delayed === 2 && first;
    });
    expect(followUp.readOnlyMode).toBe(true);

    const job = followUp.jobs[0]?.id ?? '';
    for (const [method, path] of [
      ['PUT', `/queues/api/queues/follow-up/${job}/promote`],
      ['PUT', '/queues/api/queues/follow-up/pause'],
      ['PUT', '/queues/api/queues/follow-up/obliterate'],
      ['POST', '/queues/api/queues/follow-up/add'],
      ['PATCH', `/queues/api/queues/follow-up/${job}/update-data`],
      ['DELETE', '/metrics'],
    ] as const) {
      const response = await fetch(origin + path, { method });
      expect([path, response.status]).toEqual([path, 405]);
    }
    expect((await readQueues()).queues[0]?.counts).toEqual(followUp.counts);
  });

  test('is a page that loads nothing from elsewhere', async () => {
    const fixture = await setUpDeliveries(LATER);
    const { settings, origin } = await withMetrics(fixture.settings);
    await openWeb(settings);

    const page = await fetch(`${origin}/queues`);
    const styles = /href="(static\/css\/[^"]+)"/.exec(await page.text())?.[1];

    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await fetch(`${origin}/queues/${styles}`)).status).toBe(200);
  });
});
