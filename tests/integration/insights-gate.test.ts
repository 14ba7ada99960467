import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { articles } from '../support/site-content.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { makeClient } from '../support/contact-request.ts';
import type { Environment } from '../support/site-process.ts';
import { get, isListingOpen, PASSWORD, postForm, readCookie, tryPassword } from '../support/insights-gate.ts';
import { Day, Minute } from '../../shared/time.ts';

/** The gate needs no database, because its state is in cookies. */
const settings: Environment = {
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  INSIGHTS_PASSWORD: PASSWORD,
  COOKIE_SECRET: 'a secret of thirty-two characters',
};

const WRONG = 'Incorrect password. Please try again.';

let app: TestApp;

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
async function unlock(): Promise<string> {
  const response = await tryPassword(app, { password: PASSWORD }, { client: makeClient() });
  expect(response.status).toBe(204);

  return readCookie(response) ?? '';
}

describe('a visitor', () => {
  test.each([
    ['another password', 'wrong'],
    ['the password in another case', PASSWORD.toUpperCase()],
    ['the password and a space', `${PASSWORD} `],
    ['an empty password', ''],
  ])('can’t unlock the listing with %s', async (_what, password) => {
    const response = await tryPassword(app, { password }, { client: makeClient() });

    expect(response.status).toBe(401);
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(await response.json()).toMatchObject({ code: 'incorrect-password', detail: WRONG });
  });

  test.each([
    ['no password', {}, 400],
    ['a number', { password: 1 }, 400],
    ['a list', { password: [PASSWORD] }, 400],
    ['null', null, 400],
    ['a password that is too long', { password: 'x'.repeat(5_000) }, 413],
  ])('who sends %s is refused', async (_what, body, status) => {
    expect((await tryPassword(app, body, { client: makeClient() })).status).toBe(status);
  });
});

describe('the right password', () => {
  test('sets a cookie that scripts can’t read, and opens the listing', async () => {
    const response = await tryPassword(app, { password: PASSWORD }, { client: makeClient() });
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

  test('is accepted in any Unicode normalization form', async () => {
    const other = await buildApp({ INSIGHTS_PASSWORD: 'café au lait' });
    const response = await tryPassword(other, { password: 'cafe\u0301 au lait' });

    expect(response.status).toBe(204);
  });
});

test.each([
  ['an API call', 204, (cookie: string) => app.fetch(apiPaths.insightsSession, { method: 'DELETE', headers: { cookie } })],
  ['the form', 303, (cookie: string) => postForm(app, routePatterns.insights, { action: 'lock' }, { cookie })],
])('locking the listing by %s deletes the cookie', async (_what, status, lock) => {
  const response = await lock(await unlock());

  expect(response.status).toBe(status);
  expect(response.headers.getSetCookie()).toEqual([expect.stringMatching(/^insights=; Max-Age=0; Path=\/;/)]);
});

describe('an unlocked listing', () => {
  test.each([
    ['the same settings, as after a restart or in another process', {}, true],
    ['another password', { INSIGHTS_PASSWORD: 'another password' }, false],
    ['another secret', { COOKIE_SECRET: 'another secret of some thirty-two' }, false],
    [
      'a new secret before the old one',
      { COOKIE_SECRET: `another secret of some thirty-two,${settings['COOKIE_SECRET']}` },
      true,
    ],
  ])('with %s stays unlocked: %s', async (_what, changes, staysOpen) => {
    const cookie = await unlock();

    expect(await isListingOpen(await buildApp(changes), cookie)).toBe(staysOpen);
  });

  test('stays unlocked for 30 days', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const cookie = await unlock();

    vi.setSystemTime(Date.now() + 30 * Day - 1 * Minute);
    expect(await isListingOpen(app, cookie)).toBe(true);
    vi.setSystemTime(Date.now() + 1 * Minute);
    expect(await isListingOpen(app, cookie)).toBe(false);
  });

  test('requires a cookie that the server signed', async () => {
    const later = (Date.now() + 365 * Day).toString(36);
    const prolonged = (await unlock()).replace(/=[^.]+/, `=${later}`);
    for (const cookie of ['insights=true', 'insights=zzzzzzzz.abc', 'insights=', 'insights=%00', prolonged]) {
      expect(await isListingOpen(app, cookie)).toBe(false);
    }
  });
});

describe('without JavaScript', () => {
  const post = (password: string, client = makeClient()) =>
    postForm(app, routePatterns.insights, { password, action: 'unlock' }, { client });

  test('the right password redirects to the open listing, or asks for cookies if the browser sends none', async () => {
    const response = await post(PASSWORD);
    const location = response.headers.get('location') ?? '';
    const cookie = readCookie(response) ?? '';

    expect(response.status).toBe(303);
    expect(await isListingOpen(app, cookie)).toBe(true);
    expect(await (await get(app, location)).text()).toContain('Please allow cookies for this site.');
    expect(await (await get(app, location, { cookie })).text()).not.toContain('cookies');
  });

  test('a wrong password shows the form with a message, and a sixth attempt has to wait, even with the right password', async () => {
    const client = makeClient();
    const response = await post('wrong', client);
    const html = await response.text();
    for (let count = 2; count <= 5; count += 1) expect((await post('', client)).status).toBe(401);
    const sixth = await post(PASSWORD, client);

    expect(response.status).toBe(401);
    expect(response.headers.get('cache-control')).toBe('private, no-store');
    expect(html).toContain(WRONG);
    expect(html).toContain('type="password"');
    expect(html).not.toContain('value="wrong"');
    expect(sixth.status).toBe(429);
    // At most a minute.
    expect(sixth.headers.get('retry-after')).toMatch(/^(?:[1-5]?\d|60)$/);
    expect(await sixth.text()).toContain('Too many tries.');
  });

  test('the server filters by search and category', async () => {
    const cookie = await unlock();
    const search = async (query: string) =>
      (await get(app, `${routePatterns.insights}?${query}`, { cookie })).text();
    const listSlugs = (html: string) =>
      articles.filter(({ slug }) => html.includes(`href="${pathTo.article(slug)}"`)).map(({ slug }) => slug);

    expect(listSlugs(await search('category=Security'))).toEqual(['ai-security-considerations']);
    expect(listSlugs(await search('q=hipaa'))).toEqual(['healthcare-ai-compliance']);
    expect(await search('q=%3Cscript%3Ealert(1)%3C%2Fscript%3E')).not.toContain('<script>alert');
  });
});

test('without INSIGHTS_PASSWORD the listing is open, and web logs that at startup', async () => {
  const open = await buildApp({ INSIGHTS_PASSWORD: '' });
  const page = await get(open, routePatterns.insights);
  const session = await tryPassword(open, { password: 'anything' });

  expect(await page.text()).toContain(pathTo.article('ai-trends-2024'));
  expect(session.status).toBe(204);
  expect(session.headers.getSetCookie()).toEqual([]);
  expect(open.output()).toContain('INSIGHTS_PASSWORD is not set');
});

test.each([
  ['an address', 5, () => '198.51.100.7'],
  ['an IPv4 /24', 60, (count: number) => `198.51.100.${count}`],
  ['an IPv6 /48', 60, (count: number) => `2001:db8:7:${count.toString(16)}::1`],
])('of a hundred concurrent attempts from %s, %i are checked, and another network is not affected', async (_who, most, makeAddress) => {
  const target = await buildApp();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, async (_, count) => {
      const response = await tryPassword(target, { password: `guess ${count}` }, { client: makeAddress(count) });

      return response.status;
    }),
  );
  const other = await tryPassword(target, { password: PASSWORD }, { client: '192.0.2.1' });

  expect(statuses.filter((status) => status === 401)).toHaveLength(most);
  expect(statuses.filter((status) => status === 429)).toHaveLength(100 - most);
  expect(other.status).toBe(204);
});
