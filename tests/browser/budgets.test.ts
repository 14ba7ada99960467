import { readFile, stat } from 'node:fs/promises';
import type { Request } from 'playwright-core';
import type { Manifest } from 'vite';
import { expect, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { moving, serveSite } from './serve-site.ts';

/** Transferred kilobytes (1 kB is 1,000 bytes) and request counts. */
const budgets = {
  /** Capacity of a connection's initial window (RFC 6928), excluding headers. */
  html: 14.2,
  scripts: 2,
  /** Includes the scripts loaded on the first interaction. */
  hydratedScripts: 90,
  fonts: 70,
  heroPicture: 45,
  /** Enough for a hero picture and the vignettes' style sheet. */
  requests: 7,
  /** Also covers two card pictures, which are just below the fold. */
  homeRequests: 10,
  /** Totals for pages without a picture, for pages with one, and for the home page. */
  text: 80,
  picture: 110,
  home: 140,
} as const;

/** A current phone, as in Lighthouse's mobile preset. */
const phone = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
} as const;

/** One page per template. pages.test.ts checks the document size of every page. */
const visitedPages = [
  ...[routePatterns.home, routePatterns.about, routePatterns.contact, routePatterns.insights, routePatterns.termsOfService],
  ...[pathTo.solution('ai-transformation'), pathTo.article('ai-roi-measurement')],
];

/** Files for the browser itself: the tab icon, the manifest and the prerender rules. */
const ownRequests = /\/(favicon\.|site\.webmanifest|speculation-rules)/;

/** Like lazy pictures, icons aren't loaded until they are near the viewport. */
const iconSprite = /\/icons\.[\w-]+\.svg$/;

/** Every document contains the site's URL, so a longer or shorter URL would change the sizes. */
const PUBLIC_URL = 'http://localhost:3000';
const site = serveSite({ PUBLIC_URL }, moving);
/** A site without a password, so everyone can see the listing. */
const openSite = serveSite({ PUBLIC_URL, INSIGHTS_PASSWORD: '' }, moving);

/**
 * Returns how many body bytes the server sent. The browser's count includes the headers, whose length may be
 * unknown.
 */
async function readBytes(request: Request): Promise<number> {
  const response = await request.response();

  return Number((await response?.headerValue('content-length')) ?? NaN);
}

interface FirstView {
  readonly html: number;
  readonly scripts: number;
  /** Includes the scripts loaded on the first interaction. */
  readonly hydratedScripts: number;
  readonly styles: number;
  readonly fonts: number;
  /** Excludes lazy pictures. */
  readonly pictures: number;
  readonly heroPicture: number;
  /** Excludes the browser's own requests, lazy pictures and icons. */
  readonly requests: number;
  /** Lazy pictures and icons loaded in advance. Which ones depends on when the fonts arrive. */
  readonly ahead: number;
}

/** Returns the number of bytes per resource type. */
async function sumBytes(requests: readonly Request[]): Promise<Readonly<Record<string, number>>> {
  const bytes: Record<string, number> = {};
  for (const request of requests) {
    const kind = request.resourceType();
    bytes[kind] = (bytes[kind] ?? 0) + (await readBytes(request));
  }

  return bytes;
}

/** Loads a page on a phone and adds up its bytes before and after the first interaction. */
async function measureFirstView(path: string, visited = site): Promise<FirstView> {
  const finished: Request[] = [];
  const { page } = await visited.visit(path, {
    ...phone,
    staysUnhydrated: true,
    prepare: async (opened) => {
      opened.on('requestfinished', (request) => {
        if (!ownRequests.test(request.url())) finished.push(request);
      });
    },
  });
  await page.waitForLoadState('networkidle');
  const lazyUrls = await page
    .locator('img[loading=lazy]')
    .evaluateAll((pictures) => pictures.map((picture) => (picture as HTMLImageElement).currentSrc));
  const isLazy = (request: Request) => lazyUrls.includes(request.url()) || iconSprite.test(request.url());
  const shown = finished.filter((request) => !isLazy(request));
  const bytes = await sumBytes(shown);
  const ahead = Object.values(await sumBytes(finished.filter(isLazy))).reduce((sum, size) => sum + size, 0);
  const heroUrl = await page
    .locator('img[fetchpriority=high]')
    .evaluateAll(([hero]) => (hero instanceof HTMLImageElement ? hero.currentSrc : ''));
  const hero = finished.find((request) => request.url() === heroUrl);
  await waitUntilHydrated(page);
  const whenHydrated = await sumBytes(finished);
  const inKilobytes = (size = 0) => size / 1000;

  return {
    html: inKilobytes(bytes['document']),
    scripts: inKilobytes(bytes['script']),
    hydratedScripts: inKilobytes(whenHydrated['script']),
    styles: inKilobytes(bytes['stylesheet']),
    fonts: inKilobytes(bytes['font']),
    pictures: inKilobytes(bytes['image']),
    heroPicture: inKilobytes(hero && (await readBytes(hero))),
    requests: shown.length,
    ahead: inKilobytes(ahead),
  };
}

/**
 * Returns the rounded figures for the snapshot, so that a commit's diff shows how it changed a page's size. Sizes are
 * rounded to 0.5 kB, so a single word rarely matters. Scripts after hydration are rounded to 5 kB, because most pages
 * share them and every component change would affect many snapshots.
 */
const round = ({ ahead: _, hydratedScripts, ...view }: FirstView) =>
  Object.entries({ ...view, hydratedScripts: Math.round(hydratedScripts / 5) * 5 })
    .map(([name, figure]) => `${name} ${Math.round(figure * 2) / 2}`)
    .join(', ');

/** Returns the budget for everything loaded before the first interaction. */
function findTotalBudget(path: string, { pictures }: FirstView): number {
  if (path === routePatterns.home) return budgets.home;

  return pictures === 0 ? budgets.text : budgets.picture;
}

/** Checks all budgets except the request count and the total. */
function checkBudgets(view: FirstView): void {
  expect(view.html).toBeGreaterThan(1);
  expect(view.html).toBeLessThanOrEqual(budgets.html);
  expect(view.scripts).toBeGreaterThan(1);
  expect(view.scripts).toBeLessThanOrEqual(budgets.scripts);
  expect(view.hydratedScripts).toBeGreaterThan(50);
  expect(view.hydratedScripts).toBeLessThanOrEqual(budgets.hydratedScripts);
  expect(view.fonts).toBeGreaterThan(10);
  expect(view.fonts).toBeLessThanOrEqual(budgets.fonts);
  expect(view.heroPicture).toBeLessThanOrEqual(budgets.heroPicture);
}

test.each(visitedPages)('the first view of %s on a phone stays within its budgets and matches its snapshot', async (path) => {
  const view = await measureFirstView(path);

  expect(round(view)).toMatchSnapshot();
  checkBudgets(view);
  // The hero picture exists and was measured.
  if (path === routePatterns.home) expect(view.heroPicture).toBeGreaterThan(5);
  expect(view.requests).toBeLessThanOrEqual(path === routePatterns.home ? budgets.homeRequests : budgets.requests);
  const total = view.html + view.scripts + view.styles + view.fonts + view.pictures + view.ahead;
  expect(total).toBeLessThanOrEqual(findTotalBudget(path, view));
});

// Doesn't check the request count or the total, because the browser loads some lazy pictures in advance.
test('the first view of the listing without a password stays within its budgets and matches its snapshot', async () => {
  const view = await measureFirstView(routePatterns.insights, openSite);

  expect(round(view)).toMatchSnapshot();
  checkBudgets(view);
});

test('the estimate’s scripts are at most 4 kB', async () => {
  const dist = new URL('../../dist/', import.meta.url);
  const manifest = JSON.parse(await readFile(new URL('assets.json', dist), 'utf8')) as Manifest;
  const files = Object.values(manifest).filter(({ name }) => name?.startsWith('estimate-'));
  const sizes = await Promise.all(files.map(({ file }) => stat(new URL(`client/${file}.br`, dist))));

  expect(files.map(({ name }) => name).sort()).toEqual(['estimate-form', 'estimate-section']);
  expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(4000);
});
