import type { Request } from 'playwright-core';
import { expect, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { articles, pagePaths } from '../support/site-content.ts';
import { serveSite } from './serve-site.ts';

/** Bytes as they come over the network, in kB of 1,000 bytes; and a count. */
const budgets = {
  html: 14,
  longHtml: 22,
  scripts: 92,
  fonts: 70,
  heroPicture: 45,
  requests: 10,
} as const;

/** Texts to be read rather than looked at. */
const longPages: ReadonlySet<string> = new Set([
  routePatterns.privacyPolicy,
  routePatterns.termsOfService,
  ...articles.map(({ slug }) => pathTo.article(slug)),
]);

/** A current phone, as in Lighthouse's mobile preset. */
const phone = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
} as const;

/** The background test page shows all there is at once, and is for nobody's first view. */
const visitedPages = pagePaths.filter((path) => path !== routePatterns.videoTest);

/** What the browser fetches for itself: the icon of the tab, the manifest. */
const ownRequests = /\/(favicon\.|site\.webmanifest)/;

/** Its address is in every document; one of another length would change what they weigh. */
const PUBLIC_URL = 'http://localhost:3000';
const site = serveSite({ PUBLIC_URL });
/** Without a password: everybody sees the listing. */
const openSite = serveSite({ PUBLIC_URL, INSIGHTS_PASSWORD: '' });

/**
 * What the server sent, exactly. Of the browser's own count the headers have to be taken off, whose
 * length it may not know.
 */
async function readBytes(request: Request): Promise<number> {
  const response = await request.response();

  return Number((await response?.headerValue('content-length')) ?? NaN);
}

interface FirstView {
  readonly html: number;
  readonly scripts: number;
  readonly styles: number;
  readonly fonts: number;
  readonly pictures: number;
  readonly heroPicture: number;
  /** Without the browser's own. */
  readonly requests: number;
}

/** Loads a page on a phone, touches nothing, and sums up its bytes. */
async function measureFirstView(path: string, visited = site): Promise<FirstView> {
  const finished: Request[] = [];
  const { page } = await visited.visit(path, {
    ...phone,
    prepare: async (opened) => {
      opened.on('requestfinished', (request) => {
        if (!ownRequests.test(request.url())) finished.push(request);
      });
    },
  });
  await page.waitForLoadState('networkidle');
  const bytes: Record<string, number> = {};
  for (const request of finished) {
    const kind = request.resourceType();
    bytes[kind] = (bytes[kind] ?? 0) + (await readBytes(request));
  }
  const heroUrl = await page
    .locator('img[fetchpriority=high]')
    .evaluateAll(([hero]) => (hero instanceof HTMLImageElement ? hero.currentSrc : ''));
  const hero = finished.find((request) => request.url() === heroUrl);
  const inKilobytes = (size = 0) => size / 1000;

  return {
    html: inKilobytes(bytes['document']),
    scripts: inKilobytes(bytes['script']),
    styles: inKilobytes(bytes['stylesheet']),
    fonts: inKilobytes(bytes['font']),
    pictures: inKilobytes(bytes['image']),
    heroPicture: inKilobytes(hero && (await readBytes(hero))),
    requests: finished.length,
  };
}

/**
 * So that a change of what a page weighs is seen in the diff that causes it: rounded, kilobytes to a
 * half, which a word more or less rarely moves.
 */
const round = (view: FirstView) =>
  Object.entries(view).map(([name, figure]) => `${name} ${Math.round(figure * 2) / 2}`).join(', ');

/** Holds all budgets but that of requests. */
function holdBudgets(view: FirstView, path: string): void {
  expect(view.html).toBeGreaterThan(1);
  expect(view.html).toBeLessThanOrEqual(longPages.has(path) ? budgets.longHtml : budgets.html);
  expect(view.scripts).toBeGreaterThan(50);
  expect(view.scripts).toBeLessThanOrEqual(budgets.scripts);
  expect(view.fonts).toBeGreaterThan(10);
  expect(view.fonts).toBeLessThanOrEqual(budgets.fonts);
  expect(view.heroPicture).toBeLessThanOrEqual(budgets.heroPicture);
}

test.each(visitedPages)('the first view of %s on a phone keeps to its budgets and to what it was', async (path) => {
  const view = await measureFirstView(path);

  expect(round(view)).toMatchSnapshot();
  holdBudgets(view, path);
  expect(view.requests).toBeLessThanOrEqual(budgets.requests);
});

// Its pictures come lazily, and the browser fetches those of the next screens ahead.
test('the first view of the listing without a password keeps to its budgets and to what it was', async () => {
  const view = await measureFirstView(routePatterns.insights, openSite);

  expect(round(view)).toMatchSnapshot();
  holdBudgets(view, routePatterns.insights);
});

test('a page with a hero picture fetches it, and measures it', async () => {
  expect((await measureFirstView(routePatterns.home)).heroPicture).toBeGreaterThan(5);
});
