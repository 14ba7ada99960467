import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { solutions } from '#content/solutions';
import { pathTo, routePatterns, salesPrefix } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
import { requestRaw } from '../support/raw-http.ts';
import { articles, pagePaths } from '../support/site-content.ts';

let web: OpenWeb;

beforeAll(async () => {
  web = await openWebServer({
    DATABASE_URL: await createMigratedDatabase(),
    INSIGHTS_PASSWORD: PASSWORD,
  });

  return async () => {
    await web.stop();
  };
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(web.origin + path, { headers, redirect: 'manual' });
const getHtml = async (path: string) => (await get(path)).text();
const match = (html: string, pattern: RegExp) => pattern.exec(html)?.[1];
const matchAll = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map(([, part]) => part);

/** Returns the policy that allows exactly a document's styles. */
function makeStylePolicy(html: string): string {
  const [styles, ...others] = matchAll(html, /<style>(.*?)<\/style>/gs);
  expect(others).toEqual([]);

  return `style-src 'self' 'sha256-${createHash('sha256').update(String(styles)).digest('base64')}';`;
}

/** Returns the scripts that a document's data block lists. */
function readScripts(html: string): string[] {
  const block = match(html, /<script type="application\/json" id="page-data">(.*?)<\/script>/s);

  return (JSON.parse(String(block)) as { scripts: string[] }).scripts;
}

/** Returns every script that a document loads, beginning with its start script. */
function listScripts(html: string): string[] {
  const start = matchAll(html, /<script type="module" src="([^"]*)"/g).map(String);

  return [...start, ...readScripts(html)];
}

describe.each(pagePaths)('%s', (path) => {
  test('has its canonical URL, a link to the feed, one main heading and no inline code', async () => {
    const response = await get(path);
    const html = await response.text();

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe(
      path === routePatterns.insights ? 'private, no-store' : 'public, max-age=0, must-revalidate',
    );
    expect(response.headers.get('set-cookie')).toBeNull();
    const isListed = path !== routePatterns.videoTest;
    expect(match(html, /<link rel="canonical" href="([^"]*)"/)).toBe(
      isListed ? web.origin + path : undefined,
    );
    expect(html.includes('<meta name="robots" content="noindex"/>')).toBe(!isListed);
    expect(html).toContain('<link rel="alternate" type="application/atom+xml" href="/feed.xml"/>');
    expect(matchAll(html, /<h1[ >](.*?)<\/h1>/gs)).toHaveLength(1);
    expect(html).not.toMatch(/<[^>]+\s(?:style|on[a-z]+)=/i);
    expect(html).not.toMatch(/<script(?![^>]*\s(?:src=|type="application\/(?:ld\+)?json"))[^>]*>/);
    // A page may link to other sites, but loads nothing from them.
    const addresses = matchAll(html.replace(/<a [^>]*>/g, ''), /(?:src|href)="(https?:\/\/[^"]*)"/g);
    expect(addresses.filter((url) => !url?.startsWith(web.origin))).toEqual([]);
  });

  test('contains the styles of its first view, and its policy allows exactly those styles', async () => {
    const response = await get(path);
    const html = await response.text();

    expect(response.headers.get('content-security-policy')).toContain(makeStylePolicy(html));
    // Only the gate needs the rule that blurs the listing.
    expect(html.includes('blur(8px)')).toBe(path === routePatterns.insights);
    // The style sheet with the other rules is at the end of the page.
    expect(html.indexOf('<link rel="stylesheet"')).toBeGreaterThan(html.indexOf('<footer'));
    // The vignette rules are in a separate style sheet.
    const hasVignette = path === routePatterns.home || solutions.some(({ slug }) => path === pathTo.solution(slug));
    expect(matchAll(html, /<link rel="stylesheet"[^>]*>/g)).toHaveLength(hasVignette ? 2 : 1);
  });

  test('fits in a connection’s first flight, so it is at most 14,200 bytes in brotli', async () => {
    const { headers } = await get(path, { 'accept-encoding': 'br' });

    expect(headers.get('content-encoding')).toBe('br');
    expect(Number(headers.get('content-length'))).toBeLessThanOrEqual(14_200);
  });

  test('loads only files that exist and may be cached, and scripts and styles with their hashes', async () => {
    const html = await getHtml(path);
    const files = [
      ...listScripts(html),
      ...matchAll(html, /<link rel="(?:stylesheet|preload)"[^>]*href="([^"]*)"/g),
      ...matchAll(html, /imageSrcSet="([^"]*)"/gi).flatMap((set) => String(set).split(/ \d+w,? ?/)),
      ...matchAll(html, /<use href="([^"#]*)#/g),
      match(html, /<meta property="og:image" content="[^"]*(\/assets[^"]*)"/) ?? '',
    ].filter((file) => file !== '');

    expect(listScripts(html).length).toBeGreaterThanOrEqual(3);
    for (const [tag] of html.matchAll(/<(?:script [^>]*src|link rel="stylesheet")[^>]*>/g)) {
      expect(tag).toMatch(/ integrity="sha384-/);
    }
    for (const file of new Set(files)) {
      const response = await get(String(file), { 'accept-encoding': 'br' });
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });
});

test('any unknown path returns the not-found page with a 404', async () => {
  const responses = await Promise.all(['/nope', '/insights/none', '/solutions/x/y', '/%zz', '/%ff?q=%20'].map((path) => get(path)));

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  const pages = await Promise.all(responses.map((response) => response.text()));
  expect(new Set(pages).size).toBe(1);
  expect(pages[0]).toContain('<meta name="robots" content="noindex"/>');
});

test('a connection stays open for longer than a minute, the idle timeout of load balancers', async () => {
  const { headers } = await get('/about');

  expect(Number(/^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
});

test('a page is sent in the encoding that the browser prefers, and returns a 304 while it is unchanged', async () => {
  const identity = await get('/about', { 'accept-encoding': 'identity' });
  const brotli = await get('/about', { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect([identity, brotli].map(({ headers }) => headers.get('content-encoding'))).toEqual([null, 'br']);
  expect(brotli.headers.get('vary')).toBe('Accept-Encoding');
  expect(await brotli.text()).toBe(await identity.text());
  const tag = brotli.headers.get('etag');
  expect(tag).not.toBe(identity.headers.get('etag'));

  const again = await get('/about', { 'accept-encoding': 'br', 'if-none-match': `"other", W/${tag}` });
  expect([again.status, await again.text()]).toEqual([304, '']);
  // A 304 has its page's headers, or none (RFC 9110, section 15.4.5).
  expect([again.headers.get('content-type'), again.headers.get('content-length')]).toEqual([null, null]);
  expect(again.headers.get('content-security-policy')).not.toBeNull();
});

test('a script is sent in each encoding and in ranges, may be cached for a year, and returns a 304 while it is unchanged', async () => {
  const [path = ''] = readScripts(await getHtml('/'));
  const identity = await get(path, { 'accept-encoding': 'identity' });
  const script = await identity.text();
  const tag = String(identity.headers.get('etag'));
  for (const encoding of ['br', 'gzip']) {
    const response = await get(path, { 'accept-encoding': encoding });
    expect(response.headers.get('content-encoding')).toBe(encoding);
    expect(await response.text()).toBe(script);
    expect(response.headers.get('etag')).not.toBe(tag);
  }
  expect(Object.fromEntries(identity.headers)).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    'content-length': String(Buffer.byteLength(script)),
  });

  // `fetch` adds `cache-control: no-cache` to conditional requests.
  const again = await requestRaw(web.origin + path, { headers: { 'if-none-match': tag } });
  expect([again.status, again.body]).toEqual([304, '']);
  const part = await get(path, { 'accept-encoding': 'identity', range: 'bytes=0-9' });
  expect([part.status, await part.text()]).toEqual([206, script.slice(0, 10)]);
});

test('the contact page selects the industry in its URL and ignores unknown values and parameters', async () => {
  const html = await getHtml('/contact');

  expect(await getHtml('/contact?utm_source=x')).toBe(html);
  expect(await getHtml('/contact?industry=none')).toBe(html);
  expect(await getHtml('/contact?industry=education')).toMatch(/<option value="education" selected=""/);
});

test.each([
  ['example.org', 421],
  ['localhost.example.org', 421],
  ['somebody@localhost', 421],
  ['localhost/path', 421],
  ['localhost?query', 421],
  // This host is longer than any valid one, although its port is 80.
  [`localhost:${'0'.repeat(300)}80`, 421],
  ['localhost:1', 200],
  ['127.0.0.1', 200],
  ['[::1]:99', 200],
])('a request for the host %s gets a %i', async (host, status) => {
  expect((await requestRaw(web.origin, { headers: { host } })).status).toBe(status);
  expect((await requestRaw(`${web.origin}/health/live`, { headers: { host } })).status).toBe(200);
});

test.each([
  ['/nope', 'GET'],
  ['/follow-up/none', 'GET'],
  ['/newsletter/confirm/none', 'POST'],
  ['/insights', 'POST'],
  ['/contact', 'POST'],
])('the error page’s policy at %s (%s) allows exactly the page’s styles', async (path, method) => {
  const response = await fetch(web.origin + path, {
    method,
    headers: { accept: 'text/html' },
    ...(method === 'POST' ? { body: new URLSearchParams({ password: 'wrong' }) } : {}),
  });
  const html = await response.text();

  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(html).toContain('<style>');
  expect(response.headers.get('content-security-policy')).toContain(makeStylePolicy(html));
});

test('no file loaded by the locked listing names an article, even after a search', async () => {
  const html = await getHtml('/insights?q=hipaa');
  const files = listScripts(html);
  const texts = [html, ...(await Promise.all(files.map(getHtml)))];

  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const { slug, title, excerpt } of articles) {
    for (const loaded of texts) {
      for (const secret of [slug, title, excerpt]) expect(loaded).not.toContain(secret);
    }
  }
});

const linkPatterns = [
  routePatterns.followUp,
  routePatterns.heldRequest,
  routePatterns.newsletterConfirmation,
  routePatterns.newsletterUnsubscription,
];
const invalidTokens = ['a', 'a'.repeat(100), 'a'.repeat(201), 'a'.repeat(500), 'a'.repeat(15_000), '%E2%82%AC', '%2F'];

test.each(linkPatterns)('a %s link with an invalid token opens a not-found page, however long the token is', async (pattern) => {
  const isForSales = pattern.startsWith(salesPrefix);
  const notFound = await (await get(isForSales ? pattern.replace(':token', 'b') : '/nope')).text();
  expect(notFound.includes('This link doesn’t work')).toBe(isForSales);
  for (const token of invalidTokens) {
    const url = web.origin + pattern.replace(':token', token);
    for (const method of ['GET', 'HEAD', 'POST']) {
      const response = await fetch(url, { method });
      expect([method, token, response.status]).toEqual([method, token, 404]);
      expect(await response.text()).toBe(method === 'HEAD' ? '' : notFound);
    }
  }
});
