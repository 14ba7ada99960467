import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { siteFilePaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { Day } from '../../shared/time.ts';
import { buildTestApp, type TestApp } from '../support/build-test-app.ts';
import { articles, pagePaths } from '../support/site-content.ts';

/** These files need no database. */
const DATABASE_URL = 'postgres://127.0.0.1:1/none';

let app: TestApp;

beforeAll(async () => {
  app = await buildTestApp({ DATABASE_URL });

  return app.close;
});

const get = (path: string, headers: Record<string, string> = {}) =>
  app.fetch(path, { headers });
/** A loopback origin, which every site serves. The responses still contain PUBLIC_URL's origin. */
const REQUESTED_ORIGIN = 'http://localhost:4321';
const getText = async (path: string, from = app) =>
  (await from.fetch(REQUESTED_ORIGIN + path)).text();
const matchAll = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, part]) => String(part));

const listedPaths = pagePaths.filter((path) => path !== routePatterns.videoTest);

/** Parses the `Name: value` lines of robots.txt or security.txt, without comments. */
const readFields = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name = '', value = ''] = /^([A-Za-z-]+): (.+)$/.exec(line) ?? [];

      return { name, value };
    });

test.each([
  [siteFilePaths.sitemap, 'application/xml; charset=utf-8'],
  [siteFilePaths.feed, 'application/atom+xml; charset=utf-8'],
  [siteFilePaths.robots, 'text/plain; charset=utf-8'],
  [siteFilePaths.webManifest, 'application/manifest+json; charset=utf-8'],
  [siteFilePaths.llmsText, 'text/plain; charset=utf-8'],
  [siteFilePaths.securityText, 'text/plain; charset=utf-8'],
  [siteFilePaths.speculationRules, 'application/speculationrules+json'],
])('%s has its content type, may be cached for an hour, and returns a 304 while it is unchanged', async (path, contentType) => {
  const response = await get(path, { 'accept-encoding': 'identity' });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe(contentType);
  expect(response.headers.get('cache-control')).toBe('public, max-age=3600');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('set-cookie')).toBeNull();

  const again = await get(path, {
    'accept-encoding': 'identity',
    'if-none-match': String(response.headers.get('etag')),
  });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('the sitemap is well-formed and lists every page for search engines once, with the date of its last change', async () => {
  const xml = await getText(siteFilePaths.sitemap);

  expect(xml).toMatch(
    /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">\n(?: {2}<url><loc>[^<>&"']+<\/loc><lastmod>\d{4}-\d{2}-\d{2}<\/lastmod><\/url>\n)+<\/urlset>\n$/,
  );
  expect(matchAll(xml, /<loc>(.*?)<\/loc>/g)).toEqual(listedPaths.map((path) => app.origin + path));
});

test('the feed has every article once, newest first', async () => {
  const feed = await getText(siteFilePaths.feed);

  expect(matchAll(feed, /<entry>\s*<id>(.*?)<\/id>/g)).toEqual(
    articles.map(({ slug }) => app.origin + pathTo.article(slug)),
  );
});

test('robots.txt excludes the API and pages that only mails link to, and names the sitemap', async () => {
  expect(readFields(await getText(siteFilePaths.robots))).toEqual([
    { name: 'User-agent', value: '*' },
    { name: 'Disallow', value: '/api/' },
    { name: 'Disallow', value: '/follow-up/' },
    { name: 'Disallow', value: '/newsletter/' },
    { name: 'Sitemap', value: app.origin + siteFilePaths.sitemap },
  ]);
});

interface Manifest {
  readonly start_url: string;
  readonly icons: readonly { src: string; sizes: string; type: string }[];
}

test('the web manifest has the design’s colors, a start page, and icons in the declared sizes', async () => {
  const manifest = JSON.parse(await getText(siteFilePaths.webManifest)) as Manifest;

  expect(manifest).toMatchObject({
    name: 'Praline',
    short_name: 'Praline',
    start_url: '/',
    display: 'minimal-ui',
    theme_color: '#0F1F16',
    background_color: '#FBF8F1',
  });
  expect(manifest.icons.map(({ sizes }) => sizes)).toEqual(['any', '192x192', '512x512']);
  for (const { src, sizes, type } of manifest.icons) {
    const response = await get(src);
    expect([src, response.status, response.headers.get('content-type')]).toEqual([src, 200, type]);
    if (sizes === 'any') continue;
    // A PNG's header chunk starts with the width and height.
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});

interface SpeculationRules {
  readonly prerender: ReadonlyArray<{
    readonly where: { readonly and: readonly [{ href_matches: string }, { not: { href_matches: readonly string[] } }] };
  }>;
}

const isPrerendered = ({ prerender: [rule] }: SpeculationRules, address: string) => {
  const [included, excluded] = rule?.where.and ?? [];
  const matches = (pattern = '') => new URLPattern(pattern, REQUESTED_ORIGIN).test(address, REQUESTED_ORIGIN);

  return matches(included?.href_matches) && !excluded?.not.href_matches.some(matches);
};

test('the speculation rules let browsers prerender only the pages that are the same for everyone', async () => {
  const rules = JSON.parse(await getText(siteFilePaths.speculationRules)) as SpeculationRules;
  const prerendered = [...pagePaths, pathTo.contact({ industry: 'healthcare' })].filter((path) => path !== routePatterns.insights);
  const others = [
    routePatterns.insights,
    `${routePatterns.insights}?q=x`,
    '/follow-up/token',
    '/follow-up/held/token',
    '/newsletter/confirm/token',
    '/api/insights/session',
    siteFilePaths.feed,
    'https://www.example.org/',
  ];

  expect(prerendered.filter((path) => !isPrerendered(rules, path))).toEqual([]);
  expect(others.filter((path) => isPrerendered(rules, path))).toEqual([]);
});

test('llms.txt begins with the name and a summary, and lists every page except the home page in three sections', async () => {
  const text = await getText(siteFilePaths.llmsText);
  const [title, summary, ...sections] = text.trimEnd().split('\n\n');

  expect(title).toBe('# Praline');
  expect(summary).toMatch(/^> \S.*$/);
  expect(sections.filter((part) => part.startsWith('#'))).toEqual(['## Solutions', '## Articles', '## Company']);
  for (const list of sections.filter((part) => !part.startsWith('#'))) {
    for (const line of list.split('\n')) expect(line).toMatch(/^- \[.+\]\(http.+\): \S/);
  }
  expect(new Set(matchAll(text, /\]\((.*?)\): /g))).toEqual(
    new Set(listedPaths.filter((path) => path !== '/').map((path) => app.origin + path)),
  );
});

test('security.txt has one contact address, expires within a year at midnight UTC, and has its own URL if PUBLIC_URL is HTTPS', async () => {
  const readSecurity = async (from: TestApp) => readFields(await getText(siteFilePaths.securityText, from));
  const PUBLIC_URL = 'https://www.example.com';
  const secure = await buildTestApp({ DATABASE_URL, PUBLIC_URL, LEGAL_EMAIL: 'Legal team <legal+site@example.com>' });
  onTestFinished(secure.close);
  const fields = await readSecurity(secure);

  expect(fields).toEqual([
    { name: 'Contact', value: 'mailto:legal%2Bsite@example.com' },
    { name: 'Expires', value: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00\.000Z$/) },
    { name: 'Preferred-Languages', value: 'en' },
    { name: 'Canonical', value: PUBLIC_URL + siteFilePaths.securityText },
  ]);
  const expiry = Date.parse(fields[1]?.value ?? '');
  expect(expiry).toBeGreaterThan(Date.now() + 170 * Day);
  expect(expiry).toBeLessThan(Date.now() + 365 * Day);
  expect((await readSecurity(app)).map(({ name }) => name)).toEqual(['Contact', 'Expires', 'Preferred-Languages']);
});
