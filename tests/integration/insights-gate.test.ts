import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { createRedisServer } from '../support/redis-server.ts';
import { articles } from '../support/site-content.ts';
import { startWebProcess, type Environment, type WebProcess } from '../support/site-process.ts';
import {
  get,
  makeClients,
  PASSWORD,
  postForm,
  readCookie,
  tryPassword,
} from '../support/insights-gate.ts';
import { waitFor } from '../support/wait-for.ts';

/** The gate needs no database: pages and cookies carry all it knows. */
const settings: Environment = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  INSIGHTS_PASSWORD: PASSWORD,
  COOKIE_SECRET: 'a secret of thirty-two characters',
  TRUST_PROXY: '127.0.0.1',
};

const WRONG = 'Incorrect password. Please try again.';

let web: WebProcess;
const makeClient = makeClients();

beforeAll(async () => {
  web = await startWebProcess(settings);

  return () => web.stop();
});

async function startWeb(changes: Environment = {}): Promise<WebProcess> {
  const started = await startWebProcess({ ...settings, ...changes });
  onTestFinished(async () => void (await started.stop()));

  return started;
}

/** Unlocks and returns the cookie. */
async function unlock(origin = web.origin): Promise<string> {
  const answer = await tryPassword(origin, { password: PASSWORD }, { client: makeClient() });
  expect(answer.status).toBe(204);

  return readCookie(answer) ?? '';
}

const isOpen = async (origin: string, cookie: string) =>
  (await get(origin, apiPaths.insightsArticles, { cookie })).status === 200;

describe('a locked visitor', () => {
  test('gets the page with the gate, which no cache stores and which sets no cookie', async () => {
    const answer = await get(web.origin, routePatterns.insights);
    const html = await answer.text();

    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('vary')).toContain('Cookie');
    expect(answer.headers.get('etag')).toBeTruthy();
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(html).toContain('Premium Insights');
    expect(html).not.toContain(pathTo.article(''));
  });

  test('is refused the listing', async () => {
    const answer = await get(web.origin, apiPaths.insightsArticles);

    expect(answer.status).toBe(401);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(answer.headers.get('vary')).toBe('Cookie');
    expect(await answer.json()).toMatchObject({ status: 401, code: 'locked' });
  });

  test.each([
    ['another password', 'wrong'],
    ['another case', PASSWORD.toUpperCase()],
    ['the password and more', `${PASSWORD} `],
    ['blanks', '   '],
    ['nothing', ''],
  ])('does not get in with %s', async (_what, password) => {
    const answer = await tryPassword(web.origin, { password }, { client: makeClient() });

    expect(answer.status).toBe(401);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.json()).toMatchObject({ code: 'incorrect-password', detail: WRONG });
  });

  test.each([
    ['no password', {}],
    ['a number', { password: 1 }],
    ['a list', { password: [PASSWORD] }],
    ['nothing at all', null],
  ])('who sends %s gets an error that says so', async (_what, body) => {
    const answer = await tryPassword(web.origin, body, { client: makeClient() });

    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'invalid-request' });
  });

  test('can’t send a password from another site, nor one of any length', async () => {
    const foreign = await fetch(web.origin + apiPaths.insightsSession, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ password: PASSWORD }),
    });
    const long = await tryPassword(web.origin, { password: 'x'.repeat(5_000) });

    expect(foreign.status).toBe(403);
    expect(long.status).toBe(413);
  });
});

describe('the right password', () => {
  test('sets a cookie scripts can’t read, and opens page and listing', async () => {
    const answer = await tryPassword(
      web.origin,
      { password: PASSWORD },
      { client: makeClient() },
    );
    const cookie = readCookie(answer) ?? '';

    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^insights=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const listing = await get(web.origin, apiPaths.insightsArticles, { cookie });
    expect(listing.status).toBe(200);
    expect(listing.headers.get('cache-control')).toBe('private, no-store');
    expect(listing.headers.get('vary')).toBe('Cookie');
    expect(await listing.json()).toEqual({ isGated: true, articles });
    const page = await get(web.origin, routePatterns.insights, { cookie });
    const html = await page.text();
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    for (const { slug } of articles) expect(html).toContain(`href="${pathTo.article(slug)}"`);
  });

  test('is the same however its accents are put together', async () => {
    const other = await startWeb({ INSIGHTS_PASSWORD: 'café au lait' });
    const answer = await tryPassword(other.origin, { password: 'cafe\u0301 au lait' });

    expect(answer.status).toBe(204);
  });

  test('gets a cookie bound to host and HTTPS where the site has HTTPS', async () => {
    const secure = await startWeb({ PUBLIC_URL: 'https://www.example.com' });
    const answer = await tryPassword(secure.origin, { password: PASSWORD });

    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-insights=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
  });

  test('is undone by locking', async () => {
    const cookie = await unlock();
    const answer = await fetch(web.origin + apiPaths.insightsSession, {
      method: 'DELETE',
      headers: { cookie },
    });

    expect(answer.status).toBe(204);
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^insights=; Max-Age=0; Path=\/;/),
    ]);
  });

  test('is undone also by a client that calls its empty body JSON', async () => {
    const answer = await fetch(web.origin + apiPaths.insightsSession, {
      method: 'DELETE',
      headers: { 'content-type': 'application/json' },
    });

    expect(answer.status).toBe(204);
  });
});

describe('an unlock', () => {
  test('lasts over a restart, and in every process with the same settings', async () => {
    const cookie = await unlock();

    expect(await isOpen((await startWeb()).origin, cookie)).toBe(true);
  });

  test.each([
    ['another password', { INSIGHTS_PASSWORD: 'another password' }, false],
    ['another secret', { COOKIE_SECRET: 'another secret of some thirty-two' }, false],
    [
      'a new secret before the old one',
      { COOKIE_SECRET: `another secret of some thirty-two,${settings['COOKIE_SECRET']}` },
      true,
    ],
  ])('with %s set: still open = %s', async (_what, changes, stays) => {
    const cookie = await unlock();

    expect(await isOpen((await startWeb(changes)).origin, cookie)).toBe(stays);
  });

  test('can’t be made up', async () => {
    for (const cookie of ['insights=true', 'insights=zzzzzzzz.abc', 'insights=', 'insights=%00']) {
      expect(await isOpen(web.origin, cookie)).toBe(false);
      const page = await get(web.origin, routePatterns.insights, { cookie });
      expect(await page.text()).toContain('Premium Insights');
    }
  });
});

describe('without JavaScript', () => {
  test('the right password leads back to the open page', async () => {
    const answer = await postForm(
      web.origin,
      routePatterns.insights,
      { password: PASSWORD },
      { client: makeClient() },
    );

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(routePatterns.insights);
    expect(await isOpen(web.origin, readCookie(answer) ?? '')).toBe(true);
  });

  test('a wrong one gets the page with the form and the message', async () => {
    const answer = await postForm(
      web.origin,
      routePatterns.insights,
      { password: 'wrong' },
      { client: makeClient() },
    );
    const html = await answer.text();

    expect(answer.status).toBe(401);
    expect(answer.headers.get('cache-control')).toBe('private, no-store');
    expect(html).toContain(WRONG);
    expect(html).toContain('type="password"');
    expect(html).not.toContain('value="wrong"');
  });

  test('an empty form is a wrong password, and a sixth attempt is told when to retry', async () => {
    const client = makeClient();
    const post = () => postForm(web.origin, routePatterns.insights, {}, { client });
    for (let count = 1; count <= 5; count += 1) expect((await post()).status).toBe(401);
    const answer = await post();

    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await answer.text()).toContain('Too many tries.');
  });

  test('locking leads back to the locked page', async () => {
    const answer = await postForm(
      web.origin,
      routePatterns.insights,
      { action: 'lock' },
      { cookie: await unlock() },
    );

    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe(routePatterns.insights);
    expect(readCookie(answer)).toBe('insights=');
  });

  test('search and category are filtered by the server', async () => {
    const cookie = await unlock();
    const look = async (query: string) =>
      (await get(web.origin, `${routePatterns.insights}?${query}`, { cookie })).text();
    const listSlugs = (html: string) =>
      articles.filter(({ slug }) => html.includes(`href="${pathTo.article(slug)}"`)).map(({ slug }) => slug);

    expect(listSlugs(await look('category=Security'))).toEqual(['ai-security-considerations']);
    expect(listSlugs(await look('q=hipaa'))).toEqual(['healthcare-ai-compliance']);
    expect(await look('q=%3Cscript%3Ealert(1)%3C%2Fscript%3E')).not.toContain('<script>alert');
  });

  test('search in the address shows a locked visitor nothing', async () => {
    const html = await (await get(web.origin, `${routePatterns.insights}?q=hipaa`)).text();

    expect(html).toContain('Premium Insights');
    for (const { slug } of articles) expect(html).not.toContain(slug);
  });
});

test('without a password everything is open, and the start says so', async () => {
  const open = await startWeb({ INSIGHTS_PASSWORD: '' });
  const listing = await get(open.origin, apiPaths.insightsArticles);
  const page = await get(open.origin, routePatterns.insights);
  const session = await tryPassword(open.origin, { password: 'anything' });

  expect(await listing.json()).toEqual({ isGated: false, articles });
  expect(await page.text()).toContain(pathTo.article('ai-trends-2024'));
  expect(session.status).toBe(204);
  expect(session.headers.getSetCookie()).toEqual([]);
  expect(open.output()).toContain('INSIGHTS_PASSWORD is not set');
});

test('neither the password nor what was tried gets into the log', async () => {
  const quiet = await startWeb({ LOG_LEVEL: 'trace' });
  await tryPassword(quiet.origin, { password: 'a try nobody may read' });
  await tryPassword(quiet.origin, { password: PASSWORD });
  await postForm(quiet.origin, routePatterns.insights, { password: 'a try nobody may read' });

  expect(quiet.output()).toContain(apiPaths.insightsSession);
  expect(quiet.output()).not.toContain('a try nobody may read');
  expect(quiet.output()).not.toContain(PASSWORD);
});

describe('the limits', () => {
  const tryWrongly = async (origin: string, client: string) =>
    (await tryPassword(origin, { password: 'wrong' }, { client })).status;
  const tryTimes = async (origin: string, client: string, times: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1) statuses.push(await tryWrongly(origin, client));

    return statuses;
  };

  test('give a client five attempts a minute, then none, even for the right password', async () => {
    const client = makeClient();
    expect(await tryTimes(web.origin, client, 6)).toEqual([401, 401, 401, 401, 401, 429]);
    const right = await tryPassword(web.origin, { password: PASSWORD }, { client });

    expect(right.status).toBe(429);
    expect(await right.json()).toMatchObject({ code: 'rate-limited' });
    const retryAfter = Number(right.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await tryWrongly(web.origin, makeClient())).toBe(401);
  });

  test('count the addresses of an IPv6 network as one client', async () => {
    const statuses: number[] = [];
    for (let host = 1; host <= 6; host += 1) {
      statuses.push(await tryWrongly(web.origin, `2001:db8:7:7::${host}`));
    }

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
    expect(await tryWrongly(web.origin, '2001:db8:7:8::1')).toBe(401);
  });

  test('hold for all web processes together, and are stricter while Redis is away', async () => {
    const redis = await createRedisServer();
    onTestFinished(() => redis.remove());
    await redis.start();
    const [one, other] = await Promise.all([
      startWeb({ REDIS_URL: redis.url }),
      startWeb({ REDIS_URL: redis.url }),
    ]);
    const client = makeClient();
    expect(await tryTimes(one.origin, client, 3)).toEqual([401, 401, 401]);
    expect(await tryTimes(other.origin, client, 3)).toEqual([401, 401, 429]);

    await redis.kill();
    await waitFor('the web process to hear of it', () => one.output().includes('Redis is away'));
    expect(await tryTimes(one.origin, makeClient(), 3)).toEqual([401, 401, 429]);
    expect((await get(one.origin, routePatterns.insights)).status).toBe(200);
  });
});

describe('of many passwords tried at once', () => {
  const tryMany = async (makeAddress: (count: number) => string, times: number) => {
    const target = await startWeb();
    const statuses = await Promise.all(
      Array.from({ length: times }, async (_, count) => {
        const options = { client: makeAddress(count) };

        return (await tryPassword(target.origin, { password: `guess ${count}` }, options)).status;
      }),
    );
    const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;

    return { target, looked: countOf(401), refused: countOf(429) };
  };

  test('from one address five are checked, the others are refused', async () => {
    expect(await tryMany(() => '198.51.100.7', 1_000)).toMatchObject({ looked: 5, refused: 995 });
  });

  test.each([
    ['an IPv4 /24', (count: number) => `198.51.100.${count}`],
    ['an IPv6 /48', (count: number) => `2001:db8:7:${count.toString(16)}::1`],
  ])('from %s twenty are checked, and another network is not limited', async (_network, makeAddress) => {
    const { target, looked, refused } = await tryMany(makeAddress, 100);
    const other = await tryPassword(target.origin, { password: PASSWORD }, { client: '192.0.2.1' });

    expect([looked, refused, other.status]).toEqual([20, 80, 204]);
  });
});
