import type { Browser } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { articles } from '../../shared/content/articles.ts';
import { listPagePaths } from '../../shared/content/pages.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';

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
const visitedPages = listPagePaths().filter((path) => path !== routePatterns.videoTest);

let web: WebProcess;
let browser: Browser;

beforeAll(async () => {
  web = await startWebProcess({ DATABASE_URL: await createMigratedDatabase() });
  browser = await launchBrowser();

  return async () => {
    await browser.close();
    await web.stop();
  };
});

interface FirstView {
  readonly html: number;
  readonly scripts: number;
  readonly fonts: number;
  readonly heroPicture: number;
  /** Without what the browser fetches for itself: the icon of the tab, the manifest. */
  readonly requests: number;
}

/** Loads a page on a phone, touches nothing, and adds up what came. */
async function measureFirstView(path: string): Promise<FirstView> {
  const { page } = await openPage(browser, phone);
  const bytes: Record<string, number> = {};
  let requests = 0;
  let heroPicture = 0;
  const reading: Promise<void>[] = [];
  page.on('requestfinished', (request) => {
    const kind = request.resourceType();
    if (kind === 'manifest') return;
    requests += 1;
    reading.push(
      request.sizes().then(async ({ responseBodySize }) => {
        bytes[kind] = (bytes[kind] ?? 0) + responseBodySize;
        if (kind !== 'image') return;
        const hero = await page.locator('img[fetchpriority=high]').evaluateAll(
          (images) => (images as HTMLImageElement[]).map(({ currentSrc }) => currentSrc),
        );
        if (hero.includes(request.url())) heroPicture = responseBodySize;
      }),
    );
  });
  await page.goto(web.origin + path, { waitUntil: 'networkidle' });
  await Promise.all(reading);
  await page.context().close();
  const inKilobytes = (size = 0) => size / 1000;

  return {
    html: inKilobytes(bytes['document']),
    scripts: inKilobytes(bytes['script']),
    fonts: inKilobytes(bytes['font']),
    heroPicture: inKilobytes(heroPicture),
    requests,
  };
}

test.each(visitedPages)('the first view of %s on a phone keeps to its budgets', async (path) => {
  const view = await measureFirstView(path);
  const figures = Object.entries(view).map(([name, figure]) => `${name} ${Math.round(figure * 10) / 10}`);
  console.log(`${path}: ${figures.join(', ')}`);

  expect(view.html).toBeGreaterThan(1);
  expect(view.html).toBeLessThanOrEqual(longPages.has(path) ? budgets.longHtml : budgets.html);
  expect(view.scripts).toBeGreaterThan(50);
  expect(view.scripts).toBeLessThanOrEqual(budgets.scripts);
  expect(view.fonts).toBeGreaterThan(10);
  expect(view.fonts).toBeLessThanOrEqual(budgets.fonts);
  expect(view.heroPicture).toBeLessThanOrEqual(budgets.heroPicture);
  expect(view.requests).toBeLessThanOrEqual(budgets.requests);
});

test('the hero pictures are what is fetched first of all pictures', async () => {
  const views = await Promise.all([routePatterns.home, routePatterns.about].map(measureFirstView));

  for (const { heroPicture } of views) expect(heroPicture).toBeGreaterThan(5);
});
