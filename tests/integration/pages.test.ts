import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { solutions } from '#content/solutions';
import { pathTo, routePatterns, salesPrefix } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { openWebServer, type OpenWeb } from '../support/open-site.ts';
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

/** Sends a request with any Host and returns the raw body, which `fetch` can't do. */
function getRaw(path: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }>(
    (resolve, reject) => {
      request(web.origin + path, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        );
      })
        .on('error', reject)
        .end();
    },
  );
}

interface PageData {
  readonly state: object;
  readonly scripts: readonly string[];
}

/** The data block that a document's scripts read. */
function readPageData(html: string): PageData {
  const block = match(html, /<script type="application\/json" id="page-data">(.*?)<\/script>/s);

  return JSON.parse(String(block)) as PageData;
}

/** Every script that a document loads, its start script first. */
function listScripts(html: string): string[] {
  const start = matchAll(html, /<script type="module" src="([^"]*)"/g).map(String);

  return [...start, ...readPageData(html).scripts];
}

describe.each(pagePaths)('%s', (path) => {
  test('is a complete page with its own URL, one main heading and no inline code', async () => {
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
    expect(matchAll(html, /<h1[ >](.*?)<\/h1>/gs)).toHaveLength(1);
    expect(html).not.toMatch(/<[^>]+\s(?:style|on[a-z]+)=/i);
    expect(html).not.toMatch(/<script(?![^>]*\s(?:src=|type="application\/(?:ld\+)?json"))[^>]*>/);
    // A page may link to other sites, but doesn't load anything from them.
    const addresses = matchAll(html.replace(/<a [^>]*>/g, ''), /(?:src|href)="(https?:\/\/[^"]*)"/g);
    expect(addresses.filter((url) => !url?.startsWith(web.origin))).toEqual([]);
  });

  test('contains the styles of its first view, and the policy allows exactly these', async () => {
    const response = await get(path);
    const html = await response.text();
    const styles = matchAll(html, /<style>(.*?)<\/style>/gs);
    const hash = createHash('sha256').update(String(styles[0])).digest('base64');

    expect(styles).toHaveLength(1);
    // Other pages don't need the shapes under the gate's blur.
    expect(String(styles[0]).includes('blur(8px)')).toBe(path === routePatterns.insights);
    expect(response.headers.get('content-security-policy')).toContain(
      `style-src 'self' 'sha256-${hash}';`,
    );
    // The other rules come last, and they load without a script.
    expect(html.indexOf('<link rel="stylesheet"')).toBeGreaterThan(html.indexOf('<footer'));
    // The rules of vignettes are in their own sheet.
    const hasVignette = path === routePatterns.home || solutions.some(({ slug }) => path === pathTo.solution(slug));
    expect(matchAll(html, /<link rel="stylesheet"[^>]*>/g)).toHaveLength(hasVignette ? 2 : 1);
  });

  test('fits in the first flight of a connection, which is at most 14,200 bytes in brotli', async () => {
    const { headers } = await getRaw(path, { 'accept-encoding': 'br' });

    expect(headers['content-encoding']).toBe('br');
    expect(Number(headers['content-length'])).toBeLessThanOrEqual(14_200);
  });

  test('names scripts, styles, fonts and pictures that exist and may be cached', async () => {
    const html = await getHtml(path);
    const files = [
      ...listScripts(html),
      ...matchAll(html, /<link rel="(?:stylesheet|preload)"[^>]*href="([^"]*)"/g),
      ...matchAll(html, /imageSrcSet="([^"]*)"/gi).flatMap((set) => String(set).split(/ \d+w,? ?/)),
      ...matchAll(html, /<use href="([^"#]*)#/g),
      match(html, /<meta property="og:image" content="[^"]*(\/assets[^"]*)"/) ?? '',
    ].filter((file) => file !== '');

    expect(listScripts(html).length).toBeGreaterThanOrEqual(3);
    for (const file of new Set(files)) {
      const response = await get(String(file), { 'accept-encoding': 'br' });
      expect([file, response.status]).toEqual([file, 200]);
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });
});

test('an article’s text is in its document and in none of its scripts', async () => {
  for (const { slug } of articles) {
    const html = await getHtml(pathTo.article(slug));
    const scripts = await Promise.all(listScripts(html).map(getHtml));
    // What follows the text, its own footer or the estimate, is the page's.
    const paragraphs = matchAll(html.split(/<footer| id="estimate"/)[0] ?? '', /<p>([^<]{60})/g);
    const loaded = paragraphs.filter((words) =>
      scripts.some((script) => script.includes(String(words))),
    );

    expect(paragraphs.length).toBeGreaterThan(10);
    expect([slug, loaded]).toEqual([slug, []]);
  }
});

test('any unknown path gets the not-found page with 404', async () => {
  const responses = await Promise.all(['/nope', '/insights/none', '/solutions/x/y', '/%zz', '/%ff?q=%20'].map((path) => get(path)));

  expect(responses.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  const pages = await Promise.all(responses.map((response) => response.text()));
  expect(new Set(pages).size).toBe(1);
  expect(pages[0]).toContain('<meta name="robots" content="noindex"/>');
});

test('a connection stays open for longer than the minute that load balancers use', async () => {
  const { headers } = await get('/about');

  expect(Number(/^timeout=(\d+)$/.exec(headers.get('keep-alive') ?? '')?.[1])).toBeGreaterThan(60);
});

test('a cached page is sent in the encoding that the browser prefers, and isn’t sent again', async () => {
  const brotli = await getRaw('/about', { 'accept-encoding': 'gzip, deflate, br, zstd' });
  expect(brotli.headers['content-encoding']).toBe('br');
  expect(brotli.headers['vary']).toBe('Accept-Encoding');
  const identity = await getRaw('/about', {});
  expect(identity.headers['content-encoding']).toBeUndefined();
  expect(brotliDecompressSync(brotli.body).equals(identity.body)).toBe(true);
  expect(brotli.headers['etag']).not.toBe(identity.headers['etag']);

  const again = await getRaw('/about', {
    'accept-encoding': 'br',
    'if-none-match': `"other", W/${String(brotli.headers['etag'])}`,
  });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  // A 304 has the headers of its page, or none (RFC 9110, section 15.4.5).
  expect([again.headers['content-type'], again.headers['content-length']]).toEqual([undefined, undefined]);
  expect(again.headers['content-security-policy']).toBeDefined();
});

test('a script is sent in each encoding and in parts, cached for a year, and not sent again', async () => {
  const [path = ''] = readPageData(await getHtml('/')).scripts;
  const identity = await getRaw(path, {});
  for (const [encoding, decode] of [['br', brotliDecompressSync], ['gzip', gunzipSync]] as const) {
    const response = await getRaw(path, { 'accept-encoding': encoding });
    expect(response.headers['content-encoding']).toBe(encoding);
    expect(decode(response.body).equals(identity.body)).toBe(true);
    expect(response.headers['etag']).not.toBe(identity.headers['etag']);
  }
  expect(identity.headers).toMatchObject({
    'content-type': 'application/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    vary: 'accept-encoding',
    'content-length': String(identity.body.length),
  });

  const again = await getRaw(path, { 'if-none-match': String(identity.headers['etag']) });
  expect([again.status, again.body.length]).toEqual([304, 0]);
  const part = await getRaw(path, { range: 'bytes=0-9' });
  expect([part.status, part.body.equals(identity.body.subarray(0, 10))]).toEqual([206, true]);
});

test('a query changes a page only if the page reads it', async () => {
  const tags = await Promise.all(
    [
      '/contact',
      '/contact?utm_source=x',
      '/contact?industry=none',
      '/contact?industry=education',
      '/contact?sent=1',
    ].map(async (path) => (await get(path)).headers.get('etag')),
  );

  expect(tags[1]).toBe(tags[0]);
  expect(tags[2]).toBe(tags[0]);
  expect(new Set(tags).size).toBe(3);
  expect(await getHtml('/contact?industry=education')).toMatch(
    /<option value="education" selected=""/,
  );
  expect(await getHtml('/contact?sent=1')).toContain('Congratulations!');
});

test('page state is sent as a JSON data block without secrets', async () => {
  const html = await getHtml('/');

  expect(readPageData(html).state).toMatchObject({ isNotFound: false, site: { name: 'Praline' } });
  expect(html).not.toContain('postgres');
});

test.each([
  ['example.org', 421],
  ['localhost.example.org', 421],
  ['somebody@localhost', 421],
  ['localhost/path', 421],
  ['localhost?query', 421],
  // The host is longer than any valid one, although the port is 80.
  [`localhost:${'0'.repeat(300)}80`, 421],
  ['localhost:1', 200],
  ['127.0.0.1', 200],
  ['[::1]:99', 200],
])('a request for the host %s gets %i', async (host, status) => {
  expect((await getRaw('/', { host })).status).toBe(status);
  expect((await getRaw('/health/live', { host })).status).toBe(200);
});

test.each([
  ['/nope', 'GET'],
  ['/follow-up/none', 'GET'],
  ['/newsletter/confirm/none', 'POST'],
  ['/insights', 'POST'],
  ['/contact', 'POST'],
])('the policy of what %s responds with to a %s allows the styles of its document', async (path, method) => {
  const response = await fetch(web.origin + path, {
    method,
    headers: { accept: 'text/html' },
    ...(method === 'POST' ? { body: new URLSearchParams({ password: 'wrong' }) } : {}),
  });
  const [styles] = matchAll(await response.text(), /<style>(.*?)<\/style>/gs);
  const hash = createHash('sha256').update(String(styles)).digest('base64');

  expect(response.status).toBeGreaterThanOrEqual(400);
  expect(String(styles).length).toBeGreaterThan(500);
  expect(response.headers.get('content-security-policy')).toContain(`style-src 'self' 'sha256-${hash}';`);
});

test('no file that a visitor of the locked /insights loads names an article', async () => {
  const html = await getHtml('/insights');
  const files = listScripts(html);
  const texts = [html, ...(await Promise.all(files.map(getHtml)))];

  expect(files.length).toBeGreaterThanOrEqual(3);
  for (const { slug, title, excerpt } of articles) {
    for (const loaded of texts) {
      for (const secret of [slug, title, excerpt]) expect(loaded).not.toContain(secret);
    }
  }
});

describe('a link whose token is invalid', () => {
  const paths = [
    routePatterns.followUp,
    routePatterns.heldRequest,
    routePatterns.newsletterConfirmation,
    routePatterns.newsletterUnsubscription,
  ];
  const tokens = ['a', 'a'.repeat(100), 'a'.repeat(201), 'a'.repeat(500), 'a'.repeat(15_000), '%E2%82%AC', '%2F'];

  test.each(paths)('is not found, for sales in the frame of its pages, however long: %s', async (pattern) => {
    const isForSales = pattern.startsWith(salesPrefix);
    const notFound = await (await get(isForSales ? pattern.replace(':token', 'b') : '/nope')).text();
    expect(notFound.includes('This link doesn’t work')).toBe(isForSales);
    for (const token of tokens) {
      const url = web.origin + pattern.replace(':token', token);
      for (const method of ['GET', 'HEAD', 'POST']) {
        const response = await fetch(url, { method });
        expect([method, token, response.status]).toEqual([method, token, 404]);
        expect(await response.text()).toBe(method === 'HEAD' ? '' : notFound);
      }
    }
  });
});
