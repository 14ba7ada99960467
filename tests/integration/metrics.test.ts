import { readFile } from 'node:fs/promises';
import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { setUpDeliveries } from '../support/delivery-fixture.ts';
import { scrape, withMetrics } from '../support/metrics.ts';
import { openWeb, openWorker } from '../support/open-site.ts';
import { requestRaw } from '../support/raw-http.ts';
import { waitFor } from '../support/wait-for.ts';

/** Delays longer than any test. */
const LATER = { FOLLOW_UP_REMINDER_AFTER: '20h', FOLLOW_UP_AFTER: '24h' };

/** Starts web and a worker, each with a metrics server. */
async function startBoth(changes: Readonly<Record<string, string>> = {}) {
  const fixture = await setUpDeliveries(changes);
  const web = await withMetrics(fixture.settings);
  const worker = await withMetrics(fixture.settings);
  const { origin } = await openWeb(web.settings);
  await openWorker(worker.settings);

  return { ...fixture, origin, web: web.origin, worker: worker.origin };
}

/** Lists the names of the site's own metrics in a Prometheus or Grafana file. */
async function listNamesIn(file: string): Promise<string[]> {
  const text = await readFile(new URL(`../../monitoring/${file}`, import.meta.url), 'utf8');

  return [...new Set(text.match(/\bsite_[a-z0-9_]+/g))];
}

describe('the metrics', () => {
  test('count requests by channel and by result', async () => {
    // A slow Redis would change the limit, so this test uses none.
    const DATABASE_URL = await createMigratedDatabase();
    const { settings, origin } = await withMetrics({ DATABASE_URL, RATE_LIMIT_CONTACT: '2/10m' });
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

  test('label response times with the route pattern, never with the URL', async () => {
    const { settings } = await setUpDeliveries(LATER);
    const listener = await withMetrics(settings);
    const web = await openWeb(listener.settings);
    await fetch(`${web.origin}/follow-up/some-token`);
    await fetch(`${web.origin}/no-such-page?email=canary@example.org`);

    const { text, read } = await scrape(listener.origin);

    const count = 'site_http_request_duration_seconds_count';
    expect(read(count, { method: 'GET', route: '/follow-up/:token', status: '4xx' })).toBe(1);
    expect(text).not.toMatch(/some-token|no-such-page|canary/);
  });

  test('of web and the worker count deliveries by kind, stage and state', async () => {
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
    }
    const { read } = await scrape(worker);
    const attempts = 'site_delivery_duration_seconds_count';
    expect(read(attempts, { kind: 'follow-up', result: 'sent' })).toBe(1);
    expect(read(attempts, { kind: 'crm-export', result: 'sent' })).toBe(1);
    expect(read('site_sweep_last_success_timestamp_seconds')).toBeGreaterThan(1.7e9);
  });

  test('include every name that the alert rules and the dashboard use', async () => {
    const { database, origin, web, worker } = await startBoth(LATER);
    await postContact(origin, makeContactBody());
    await database('contact_submissions').update({ contacted_at: database.fn.now() });
    const names = await waitFor('the response-time metrics', async () => {
      const scrapes = [await scrape(web), await scrape(worker)];
      // A metric without a value, such as the image in a test, has a type but no sample.
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
});

describe('the metrics server', () => {
  test('shares no path with the public server', async () => {
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

  test('accepts only loopback names, its own addresses and its service’s name as the host', async () => {
    const { settings } = await setUpDeliveries(LATER);
    const listener = await withMetrics({ ...settings, METRICS_HOST: '0.0.0.0' });
    await openWeb(listener.settings);
    const { port } = new URL(listener.origin);
    const getStatus = async (host: string) =>
      (await requestRaw(`${listener.origin}/metrics`, { headers: { host: `${host}:${port}` } })).status;
    const ownHosts = ['localhost', '127.0.0.1', '[::1]', 'web', 'WEB', hostname()];
    const foreignHosts = ['rebound.example.com', 'localhost.example.com', '10.0.0.5', 'worker', '0x', 'a b'];

    for (const host of ownHosts) expect([host, await getStatus(host)]).toEqual([host, 200]);
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
});
