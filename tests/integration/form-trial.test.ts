import { randomUUID } from 'node:crypto';
import { MockAgent } from 'undici';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeFormTrials } from '../../jobs/health/site-checks.ts';
import { findFreePort } from '../../scripts/free-port.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { siteChecks } from '../../shared/node/monitoring/installation-checks.ts';
import { tryForm } from '../../shared/node/monitoring/try-form.ts';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { Hour, Minute } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { makeClient, makeContactBody, postContact } from '../support/contact-request.ts';
import { createMigratedDatabase, openDatabase } from '../support/database.ts';
import { createMemoryLogger } from '../support/memory-logger.ts';
import { scrape } from '../support/metrics.ts';
import { openWeb } from '../support/open-site.ts';

const COOKIE_SECRET = 's'.repeat(32);
const settings = { COOKIE_SECRET, RATE_LIMIT_CONTACT: '1/10m', TRUST_PROXY: '127.0.0.1' };

describe('a trial request', () => {
  test('passes every check for a real request, and none of it is stored or counted', async () => {
    const DATABASE_URL = await createMigratedDatabase();
    const database = openDatabase(DATABASE_URL, onTestFinished);
    const [port, METRICS_PORT] = [await findFreePort(), String(await findFreePort())];
    const PUBLIC_URL = `http://127.0.0.1:${port}`;
    const all = { ...settings, DATABASE_URL, PUBLIC_URL, PORT: String(port), METRICS_PORT };
    await openWeb(all);
    const config = loadConfig(all);

    for (let trial = 0; trial < 3; trial += 1) {
      expect(await tryForm(config)).toEqual({ isAccepted: true, wentThroughProxy: false, detail: 'A trial request was accepted.' });
    }
    expect(await database('contact_submissions')).toEqual([]);
    expect(await database('deliveries')).toEqual([]);
    const { text } = await scrape(`http://127.0.0.1:${METRICS_PORT}`);
    expect(text).toMatch(/^site_submissions_total\{.* 0$/m);
    expect(text).not.toMatch(/^site_submissions_total\{.* [1-9]\d*$/m);

    // The client may send one request every ten minutes, so the trial gets a 429 like any other request would.
    expect((await postContact(PUBLIC_URL, makeContactBody())).status).toBe(201);
    expect(await tryForm(config)).toMatchObject({ isAccepted: false, detail: expect.stringContaining('429') });
  });

  test('reports that the proxy also serves HTTPS, where forms are refused, although PUBLIC_URL is HTTP', async () => {
    const agent = new MockAgent();
    onTestFinished(() => agent.close());
    const PUBLIC_URL = 'http://www.example.com';
    for (const [origin, status] of [[PUBLIC_URL, 204], ['https://www.example.com', 403]] as const) {
      agent.get(origin).intercept({ path: routePatterns.contact }).reply(200, '<input name="subject">');
      agent.get(origin).intercept({ path: apiPaths.contactSubmissions, method: 'POST' }).reply(status, '');
    }
    const config = loadConfig({ ...settings, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', PUBLIC_URL });

    expect(await tryForm(config, PUBLIC_URL, agent)).toEqual({
      ...{ isAccepted: false, wentThroughProxy: false },
      detail: `Forms sent from https://www.example.com are refused with 403: PUBLIC_URL is ${PUBLIC_URL}.`,
    });
  });
});

describe('a trial request’s token', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await buildTestApp({ COOKIE_SECRET });

    return app.close;
  });

  const post = (trial: unknown, changes = {}) => postContact(app, makeContactBody({ trial, ...changes }), makeClient());
  const sign = (secret = COOKIE_SECRET, at = Date.now()) => signLinkToken('trial', randomUUID(), [secret], at);

  test.each<[string, () => unknown]>([
    ['forged', () => sign('f'.repeat(32))],
    ['expired', () => sign(COOKIE_SECRET, Date.now() - Hour)],
    ['for another purpose', () => signLinkToken('follow-up', randomUUID(), [COOKIE_SECRET])],
    ['a number', () => 1],
  ])('gets a 400 like any invalid field if it is %s', async (_what, makeToken) => {
    const response = await post(makeToken());

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid-fields', errors: { trial: 'This token is not valid.' } });
    expect(await app.database('contact_submissions')).toEqual([]);
  });

  test('is valid once', async () => {
    const token = sign();

    expect([(await post(token)).status, (await post(token)).status]).toEqual([204, 400]);
  });

  test.each([
    ['an invalid field', { email: 'nobody' }],
    ['the hidden field filled in', { spam: { honeypot: 'Offer' } }],
    ['a form sent too fast', { spam: { filled_in_ms: 1 } }],
  ])('doesn’t prevent a 400 for %s', async (_what, changes) => {
    expect((await post(sign(), changes)).status).toBe(400);
  });
});

describe('the form check', () => {
  test('fails after two consecutive failed trials, whichever workers run them, and each worker logs the failure once', async () => {
    const DATABASE_URL = await createMigratedDatabase();
    const database = openDatabase(DATABASE_URL, onTestFinished);
    const config = loadConfig({ DATABASE_URL, COOKIE_SECRET, PUBLIC_URL: 'http://127.0.0.1:1' });
    const { logger, read } = createMemoryLogger('worker', 'info');
    const site = { config, database };
    const [first, second] = [0, 1].map(() => makeFormTrials({ ...site, logger, intervalMs: 10 * Minute }));
    const check = siteChecks.find(({ name }) => name === 'form');
    const find = async () => (await check?.find(site))?.[0];
    const passTime = () => database('form_trial').update({ tried_at: database.raw("now() - interval '10 minutes'") });
    expect(await find()).toMatchObject({ state: 'info' });

    await first?.();
    await second?.();
    expect(await find()).toMatchObject({ state: 'info', detail: expect.stringContaining('Nothing is listening') });
    await passTime();
    await second?.();
    expect(await find()).toMatchObject({ state: 'fail', detail: expect.stringContaining('That was 0 minutes ago.') });
    expect(check).toMatchObject({ alert: 'form-unreachable', stopsHeartbeat: true });
    expect(read().match(/Nothing is listening/g)).toHaveLength(2);

    await database('form_trial').update({ failures: 0, detail: 'A trial request was accepted.' });
    expect(await find()).toMatchObject({ state: 'ok' });
  });
});
