import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { routePatterns } from '../../shared/paths.ts';
import { launchBrowser, waitUntilHydrated } from '../support/browser.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { makeClients, PASSWORD } from '../support/insights-gate.ts';
import { findDifference, makeReference, PIXEL_TOLERANCE } from '../support/screenshots/find-difference.ts';
import { writeReadmePictures } from '../support/screenshots/readme-pictures.ts';
import { isUpdating, openReferences, UNCHANGED, type References } from '../support/screenshots/references.ts';
import { takeScreenshot } from '../support/screenshots/take-screenshot.ts';
import { pagePaths } from '../support/site-content.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { COOKIE_SECRET, insertRows, states, widths, type State, type Width } from './screenshot-states.ts';

/** Letters are drawn the same on every machine: not as its screen and its settings would have them. */
const FONT_FLAGS = ['--font-render-hinting=none', '--disable-lcd-text'];

/** Milliseconds a page may take to be there while the machine does other things. */
const TIMEOUT = 60_000;

const mobile = { isMobile: true, hasTouch: true };
const screens: Readonly<Record<Width, BrowserContextOptions>> = {
  1440: { viewport: { width: 1440, height: 900 } },
  768: { viewport: { width: 768, height: 1024 }, ...mobile },
  390: { viewport: { width: 390, height: 844 }, ...mobile },
};

const pages = pagePaths.map((path): State => {
  const name = path === routePatterns.home ? 'home' : path.slice(1).replaceAll('/', '-');

  return { name, path };
});
const home: State = { name: 'home', path: routePatterns.home };
const listStates = (width: Width) => states.filter((state) => (state.widths ?? widths).includes(width));
const locate = (width: Width, { name }: State) => `${width}/${name}`;

/** Small changes of the home page. */
const changes = [
  ['a color of the text', 'main p { color: #6b5560; }'],
  ['four pixels more above a heading', 'main h2 { padding-top: 4px; }'],
  ['a hidden icon', 'footer li:last-child > svg { visibility: hidden; }'],
] as const;

let web: WebProcess;
let browser: Browser;
let references: References;
const makeClient = makeClients();

beforeAll(async () => {
  const databaseUrl = await createMigratedDatabase();
  await insertRows(databaseUrl);
  web = await startWebProcess(
    { DATABASE_URL: databaseUrl, INSIGHTS_PASSWORD: PASSWORD, COOKIE_SECRET, TRUST_PROXY: '127.0.0.1' },
    'tests/support/web-entry.ts',
  );
  browser = await launchBrowser(FONT_FLAGS);
  references = await openReferences(browser.version());

  return async () => {
    await references.finish();
    await browser.close();
    await web.stop();
  };
});

const openContext = (width: Width, hasScripts: boolean) =>
  browser.newContext({
    ...screens[width],
    javaScriptEnabled: hasScripts,
    reducedMotion: 'reduce',
    bypassCSP: true,
  });

async function shoot(page: Page, { path, hasScripts = true, reach, part }: State): Promise<Buffer> {
  page.setDefaultTimeout(TIMEOUT);
  await page.goto(web.origin + path);
  if (hasScripts) await waitUntilHydrated(page);
  await reach?.(page);

  return takeScreenshot(page, part);
}

/** In a tab of its own, which leaves nothing behind. */
async function shootApart(context: BrowserContext, state: State): Promise<Buffer> {
  await context.clearCookies();
  const page = await context.newPage();
  // Each may try passwords; a client has five tries a minute.
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': makeClient() });
  const screenshot = await shoot(page, state);
  await page.close();

  return screenshot;
}

const expectUnchanged = async (width: Width, state: State, take: () => Promise<Buffer>) =>
  expect(await references.compare(locate(width, state), take), references.advice).toBe(UNCHANGED);

// The widths side by side; of one width a page after the other, which share what the browser has in its cache.
describe.concurrent.each(widths)('%i pixels wide', (width) => {
  let withScripts: BrowserContext;
  let withoutScripts: BrowserContext;
  let tab: Page;

  beforeAll(async () => {
    withScripts = await openContext(width, true);
    withoutScripts = await openContext(width, false);
    tab = await withScripts.newPage();
  });

  test.each(pages)('$name looks as it did', { concurrent: false }, async (page) => {
    await expectUnchanged(width, page, () => shoot(tab, page));
  });

  test.each(listStates(width))('$name looks as it did', { concurrent: false }, async (state) => {
    const context = state.hasScripts === false ? withoutScripts : withScripts;

    await expectUnchanged(width, state, () => shootApart(context, state));
  });

  test.each(changes)('%s would be noticed', { concurrent: false }, async (_what, content) => {
    const reference = await makeReference(await shoot(tab, home));
    const changed = await shoot(tab, { ...home, reach: (page) => page.addStyleTag({ content }) });

    expect((await findDifference(reference, changed))?.pixels).toBeGreaterThan(PIXEL_TOLERANCE);
  });
});

test('every reference is compared with a screenshot', async () => {
  const names = widths.flatMap((width) => [...pages, ...listStates(width)].map((state) => locate(width, state)));

  expect(new Set(names).size).toBe(names.length);
  expect(await references.findUnused(names)).toEqual([]);
});

test.runIf(isUpdating)('the pictures of the README are written', () => writeReadmePictures(browser, web.origin));
