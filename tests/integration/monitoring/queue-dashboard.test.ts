import { describe, expect, test } from 'vitest';
import { makeContactBody, postContact } from '../../support/contact-request.ts';
import { setUpDeliveries } from '../../support/delivery-fixture.ts';
import { scrape, withMetrics } from '../../support/metrics.ts';
import { openWeb } from '../../support/open-site.ts';
import { waitFor } from '../../support/wait-for.ts';
import { LATER } from './monitored-site.ts';

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
