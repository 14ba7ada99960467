import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { articles } from '../support/site-content.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import type { Environment } from '../support/site-process.ts';
import {
  get,
  isListingOpen,
  makeClients,
  PASSWORD,
  postForm,
  readCookie,
  tryPassword,
} from '../support/insights-gate.ts';
import { Day, Minute } from '../../shared/time.ts';

/** The gate needs no database, because its state is in pages and cookies. */
const settings: Environment = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  INSIGHTS_PASSWORD: PASSWORD,
  COOKIE_SECRET: 'a secret of thirty-two characters',
};

const WRONG = 'Incorrect password. Please try again.';

let app: TestApp;
const makeClient = makeClients();

beforeAll(async () => {
  app = await buildTestApp(settings);

  return app.close;
});

async function buildApp(changes: Environment = {}): Promise<TestApp> {
  const built = await buildTestApp({ ...settings, ...changes });
  onTestFinished(built.close);

  return built;
}

/** Unlocks the listing and returns the cookie. */
async function unlock(site = app): Promise<string> {
  const response = await tryPassword(site, { password: PASSWORD }, { client: makeClient() });
  expect(response.status).toBe(204);

  return readCookie(response) ?? '';
}

describe('a locked visitor', () => {
  test('gets the page with the gate, which may not be cached and sets no cookie', async () => {
    const response = await get(app, routePatterns.insights);
    const html = await response.text();

    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(response.headers.get('vary')).toContain('Cookie');
    expect(response.headers.get('etag')).toBeTruthy();
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(html).toContain('Premium Insights');
    expect(html).not.toContain(pathTo.article(''));
  });

  test.each([
    ['another password', 'wrong'],
    ['another case', PASSWORD.toUpperCase()],
    ['the password and more', `${PASSWORD} `],
    ['blanks', '   '],
    ['nothing', ''],
  ])('does not get in with %s', async (_what, password) => {
    const response = await tryPassword(app, { password }, { client: makeClient() });

    expect(response.status).toBe(401);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.json()).toMatchObject({ code: 'incorrect-password', detail: WRONG });
  });

  test.each([
    ['no password', {}],
    ['a number', { password: 1 }],
    ['a list', { password: [PASSWORD] }],
    ['nothing at all', null],
  ])('who sends %s gets an error that names the reason', async (_what, body) => {
    const response = await tryPassword(app, body, { client: makeClient() });

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ code: 'invalid-request' });
  });

  test('can’t send a password from another site, or one that is too long', async () => {
    const crossOrigin = await app.fetch(apiPaths.insightsSession, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ password: PASSWORD }),
    });
    const long = await tryPassword(app, { password: 'x'.repeat(5_000) });

    expect(crossOrigin.status).toBe(403);
    expect(long.status).toBe(413);
  });
});

describe('the right password', () => {
  test('sets a cookie that scripts can’t read, and opens the page and the listing', async () => {
    const response = await tryPassword(
      app,
      { password: PASSWORD },
      { client: makeClient() },
    );
    const cookie = readCookie(response) ?? '';

    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^insights=[^;]+; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const page = await get(app, routePatterns.insights, { cookie });
    const html = await page.text();
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    expect(page.headers.get('vary')).toContain('Cookie');
    for (const { slug } of articles) expect(html).toContain(`href="${pathTo.article(slug)}"`);
  });

  test('is accepted however its accents are composed', async () => {
    const other = await buildApp({ INSIGHTS_PASSWORD: 'café au lait' });
    const response = await tryPassword(other, { password: 'cafe\u0301 au lait' });

    expect(response.status).toBe(204);
  });

  test('has no effect after locking', async () => {
    const cookie = await unlock();
    const response = await app.fetch(apiPaths.insightsSession, {
      method: 'DELETE',
      headers: { cookie },
    });

    expect(response.status).toBe(204);
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^insights=; Max-Age=0; Path=\/;/),
    ]);
  });
});

describe('an unlock', () => {
  test('stays valid after a restart and in every process with the same settings', async () => {
    const cookie = await unlock();

    expect(await isListingOpen(await buildApp(), cookie)).toBe(true);
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

    expect(await isListingOpen(await buildApp(changes), cookie)).toBe(stays);
  });

  test('lasts 30 days', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const cookie = await unlock();

    vi.setSystemTime(Date.now() + 30 * Day - 1 * Minute);
    expect(await isListingOpen(app, cookie)).toBe(true);
    vi.setSystemTime(Date.now() + 1 * Minute);
    expect(await isListingOpen(app, cookie)).toBe(false);
  });

  test('can’t be forged', async () => {
    const later = (Date.now() + 365 * Day).toString(36);
    const prolonged = (await unlock()).replace(/=[^.]+/, `=${later}`);
    for (const cookie of ['insights=true', 'insights=zzzzzzzz.abc', 'insights=', 'insights=%00', prolonged]) {
      expect(await isListingOpen(app, cookie)).toBe(false);
      const page = await get(app, routePatterns.insights, { cookie });
      expect(await page.text()).toContain('Premium Insights');
    }
  });
});

describe('without JavaScript', () => {
  test('the right password redirects to the open page', async () => {
    const response = await postForm(
      app,
      routePatterns.insights,
      { password: PASSWORD },
      { client: makeClient() },
    );

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(routePatterns.insights);
    expect(await isListingOpen(app, readCookie(response) ?? '')).toBe(true);
  });

  test('a browser without cookies gets a page that explains why nothing opens', async () => {
    const response = await postForm(
      app,
      routePatterns.insights,
      { password: PASSWORD, action: 'unlock' },
      { client: makeClient() },
    );
    const location = response.headers.get('location') ?? '';

    expect(await (await get(app, location)).text()).toContain('Please allow cookies for this site.');
    expect(await (await get(app, location, { cookie: readCookie(response) ?? '' })).text()).not.toContain('cookies');
  });

  test('a wrong password gets the page with the form and the message', async () => {
    const response = await postForm(
      app,
      routePatterns.insights,
      { password: 'wrong' },
      { client: makeClient() },
    );
    const html = await response.text();

    expect(response.status).toBe(401);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(html).toContain(WRONG);
    expect(html).toContain('type="password"');
    expect(html).not.toContain('value="wrong"');
  });

  test('an empty form counts as a wrong password, and a sixth attempt gets Retry-After', async () => {
    const client = makeClient();
    const post = () => postForm(app, routePatterns.insights, {}, { client });
    for (let count = 1; count <= 5; count += 1) expect((await post()).status).toBe(401);
    const response = await post();

    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.text()).toContain('Too many tries.');
  });

  test('locking redirects to the locked page', async () => {
    const response = await postForm(
      app,
      routePatterns.insights,
      { action: 'lock' },
      { cookie: await unlock() },
    );

    expect(response.status).toBe(303);
    expect(response.headers.get('location')).toBe(routePatterns.insights);
    expect(readCookie(response)).toBe('insights=');
  });

  test('search and category are filtered by the server', async () => {
    const cookie = await unlock();
    const search = async (query: string) =>
      (await get(app, `${routePatterns.insights}?${query}`, { cookie })).text();
    const listSlugs = (html: string) =>
      articles.filter(({ slug }) => html.includes(`href="${pathTo.article(slug)}"`)).map(({ slug }) => slug);

    expect(listSlugs(await search('category=Security'))).toEqual(['ai-security-considerations']);
    expect(listSlugs(await search('q=hipaa'))).toEqual(['healthcare-ai-compliance']);
    expect(await search('q=%3Cscript%3Ealert(1)%3C%2Fscript%3E')).not.toContain('<script>alert');
  });

  test('a search in the URL shows a locked visitor nothing', async () => {
    const html = await (await get(app, `${routePatterns.insights}?q=hipaa`)).text();

    expect(html).toContain('Premium Insights');
    for (const { slug } of articles) expect(html).not.toContain(slug);
  });
});

test('without a password everything is open, and web logs that at its start', async () => {
  const open = await buildApp({ INSIGHTS_PASSWORD: '' });
  const page = await get(open, routePatterns.insights);
  const session = await tryPassword(open, { password: 'anything' });

  expect(await page.text()).toContain(pathTo.article('ai-trends-2024'));
  expect(session.status).toBe(204);
  expect(session.headers.getSetCookie()).toEqual([]);
  expect(open.output()).toContain('INSIGHTS_PASSWORD is not set');
});

test('neither the password nor the tried ones get into the log', async () => {
  const quiet = await buildApp({ LOG_LEVEL: 'trace' });
  await tryPassword(quiet, { password: 'a try nobody may read' });
  await tryPassword(quiet, { password: PASSWORD });
  await postForm(quiet, routePatterns.insights, { password: 'a try nobody may read' });

  expect(quiet.output()).toContain(apiPaths.insightsSession);
  expect(quiet.output()).not.toContain('a try nobody may read');
  expect(quiet.output()).not.toContain(PASSWORD);
});

describe('the limits', () => {
  const tryWrongly = async (site: TestApp, client: string) =>
    (await tryPassword(site, { password: 'wrong' }, { client })).status;
  const tryTimes = async (site: TestApp, client: string, times: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1) statuses.push(await tryWrongly(site, client));

    return statuses;
  };

  test('give a client five attempts a minute, then none, even for the right password', async () => {
    const client = makeClient();
    expect(await tryTimes(app, client, 6)).toEqual([401, 401, 401, 401, 401, 429]);
    const right = await tryPassword(app, { password: PASSWORD }, { client });

    expect(right.status).toBe(429);
    const retryAfter = Number(right.headers.get('retry-after'));
    expect(await right.json()).toMatchObject({
      code: 'rate-limited',
      detail: `Too many tries. Please try again in ${retryAfter} seconds.`,
    });
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(await tryWrongly(app, makeClient())).toBe(401);
  });
});

describe('if many passwords are tried at once', () => {
  const tryMany = async (makeAddress: (count: number) => string, times: number) => {
    const target = await buildApp();
    const statuses = await Promise.all(
      Array.from({ length: times }, async (_, count) => {
        const options = { client: makeAddress(count) };

        return (await tryPassword(target, { password: `guess ${count}` }, options)).status;
      }),
    );
    const countOf = (wanted: number) => statuses.filter((status) => status === wanted).length;

    return { target, checked: countOf(401), refused: countOf(429) };
  };

  test('five from one address are checked, and the others are refused', async () => {
    expect(await tryMany(() => '198.51.100.7', 1_000)).toMatchObject({ checked: 5, refused: 995 });
  });

  test.each([
    ['an IPv4 /24', (count: number) => `198.51.100.${count}`],
    ['an IPv6 /48', (count: number) => `2001:db8:7:${count.toString(16)}::1`],
  ])('from %s sixty are checked, and another network is not limited', async (_network, makeAddress) => {
    const { target, checked, refused } = await tryMany(makeAddress, 100);
    const other = await tryPassword(target, { password: PASSWORD }, { client: '192.0.2.1' });

    expect([checked, refused, other.status]).toEqual([60, 40, 204]);
  });
});
