import { hostname, networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { setUpDeliveries } from '../../support/delivery-fixture.ts';
import { withMetrics } from '../../support/metrics.ts';
import { openWeb } from '../../support/open-site.ts';
import { requestRaw } from '../../support/raw-http.ts';
import { LATER, startBoth } from './monitored-site.ts';

describe('the metrics server', () => {
  test('shares no path with the public one', async () => {
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

  test('serves only loopback, its own address and its service’s name', async () => {
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
});
