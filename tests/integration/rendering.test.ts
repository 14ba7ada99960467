import { expect, test } from 'vitest';
import { toListedArticle } from '../../shared/content/article.ts';
import type { PageState } from '../../shared/page-state.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { openWeb } from '../support/open-site.ts';
import { articles } from '../support/site-content.ts';
import { loadFrontEnd } from '../support/web-replacements.ts';

const site = { name: 'Example', legalEntity: 'Example', legalEmail: 'legal@example.com', publicUrl: 'https://www.example.com' };

/** A listing whose cards lack a picture. */
const brokenListing = {
  isGated: false,
  articles: articles.map((article) => ({ ...toListedArticle(article), picture: 'none' })),
};

/** Opens a site that renders the broken listing once. */
async function openBrokenSite() {
  const frontEnd = await loadFrontEnd();
  const broken = [{ insights: brokenListing }];

  return openWeb({ DATABASE_URL: await createMigratedDatabase() }, {
    ...frontEnd,
    renderDocument: (location, state) => frontEnd.renderDocument(location, { ...state, ...broken.pop() }),
  });
}

test('a page that fails to render gets an uncached error page with status 500, and the alert names the page and the cause', async () => {
  const web = await openBrokenSite();
  const get = () => fetch(web.origin + routePatterns.insights, { headers: { accept: 'text/html' } });

  const [broken, again] = [await get(), await get()];
  const html = await broken.text();
  const alerts = web.output().split('\n').filter((line) => line.includes('"alert"'));

  expect(broken.status).toBe(500);
  expect(broken.headers.get('cache-control')).toBe('no-store');
  expect(broken.headers.get('content-security-policy')).toContain('sha256-');
  expect(html).toContain('<h1>Something went wrong</h1>');
  expect(html).not.toContain('<script');
  expect(again.status).toBe(200);
  expect(await again.text()).toContain(articles[0]?.title);
  expect(alerts.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({
      alert: 'page-broken',
      page: routePatterns.insights,
      err: expect.objectContaining({
        cause: expect.objectContaining({ stack: expect.stringContaining('at ArticleCard') }),
      }),
    }),
  ]);
});

/** A setting that throws when an element renders it. */
const unreadable = {
  toString: () => {
    throw new Error('Unreadable.');
  },
};

test.each([
  ['without the token in its address', pathTo.followUp('secret', 'me'), { followUp: {} }, '/follow-up'],
  ['even inside a Suspense', pathTo.contact({ sent: true }), { site: { ...site, bookingUrl: unreadable } }, '/contact'],
])('a rendering error names its page, %s', async (_what, location, broken, page) => {
  const { renderDocument } = await loadFrontEnd();
  const state = { site, isNotFound: false, ...broken } as unknown as PageState;

  await expect(renderDocument(location, state)).rejects.toThrow(`The page ${page} could not be rendered.`);
});

test('a URL with markup is not passed to vite-plugin-ssr, which would write it unescaped into a redirect', async () => {
  const { renderDocument } = await loadFrontEnd();

  const html = await renderDocument('/about//<script>alert(1)</script>', { site, isNotFound: false });

  expect(html).toMatch(/^<!doctype html>/);
  expect(html).not.toContain('<script>alert');
});
