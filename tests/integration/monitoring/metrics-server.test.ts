import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeContactBody, postContact } from '../../support/contact-request.ts';
import { setUpDeliveries, startWeb, startWorker, untilSent } from '../../support/delivery-fixture.ts';
import { scrape, withMetrics } from '../../support/metrics.ts';
import { openWeb } from '../../support/open-site.ts';
import { startOwnPostgres } from '../../support/own-postgres.ts';
import { requestRaw } from '../../support/raw-http.ts';
import { startProcess } from '../../support/site-process.ts';
import { waitFor } from '../../support/wait-for.ts';
import { LATER, startBoth } from './monitored-site.ts';

describe('the metrics server', () => {
  test('shares nothing with the public one', async () => {
    const { origin, web } = await startBoth(LATER);

    for (const path of ['/metrics', '/metrics/']) {
      expect((await fetch(origin + path)).status).toBe(404);
    }
    for (const method of ['POST', 'PUT', 'DELETE']) {
      expect((await fetch(`${web}/metrics`, { method })).status).toBe(405);
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
    const getStatus = async (host: string) =>
      (await requestRaw(`${listener.origin}/metrics`, { headers: { host: `${host}:${port}` } })).status;
    const own = ['localhost', '127.0.0.1', '[::1]', 'web', 'WEB', hostname()];
    const foreignHosts = ['rebound.example.com', 'localhost.example.com', '10.0.0.5', 'worker', '0x', 'a b'];

    for (const host of own) expect([host, await getStatus(host)]).toEqual([host, 200]);
    for (const host of foreignHosts) {
      expect([host, await getStatus(host)]).toEqual([host, 421]);
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
    await fetch(`${origin}/metrics`);

    expect(await worker.stop()).toBe(0);
    await expect(fetch(`${origin}/metrics`)).rejects.toThrow();
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
        fetch(`${worker.origin}/metrics`).then(
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
