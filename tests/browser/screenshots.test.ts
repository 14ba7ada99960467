import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, waitUntilHydrated } from '../support/browser.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { makeClient } from '../support/contact-request.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { writeReadmePictures } from './pictures/readme-pictures.ts';
import { isUpdating, openReferences, UNCHANGED, type References } from './pictures/references.ts';
import { takeScreenshot } from './pictures/take-screenshot.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';
import { COOKIE_SECRET, insertRows, states, widths, type State, type Width } from './screenshot-states.ts';

/** Makes text rendering independent of the machine's display and font settings. */
const FONT_FLAGS = ['--font-render-hinting=none', '--disable-lcd-text'];

/** How long a page may take to appear on a busy machine, in milliseconds. */
const TIMEOUT = 60_000;

const screens: Readonly<Record<Width, BrowserContextOptions>> = {
  1440: { viewport: { width: 1440, height: 900 } },
  390: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

const locate = (width: Width, { name }: State) => `${width}/${name}`;

let web: WebProcess;
let browser: Browser;
let references: References;

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

/** Takes a screenshot in a separate tab and closes the tab. */
async function shoot(context: BrowserContext, { path, reach, part }: State): Promise<Buffer> {
  await context.clearCookies();
  const page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  // Each visit gets its own client address, because it may submit passwords and a client is allowed five a minute.
  await page.setExtraHTTPHeaders({ 'x-forwarded-for': makeClient() });
  await page.goto(web.origin + path);
  await waitUntilHydrated(page);
  await reach?.(page);
  const screenshot = await takeScreenshot(page, part);
  await page.close();

  return screenshot;
}

describe.each(widths)('%i pixels wide', (width) => {
  let context: BrowserContext;

  beforeAll(async () => {
    context = await browser.newContext({ ...screens[width], reducedMotion: 'reduce', bypassCSP: true });
  });

  test.each(states)('$name looks like its reference', async (state) => {
    const result = await references.compare(locate(width, state), () => shoot(context, state));

    expect(result, references.advice).toBe(UNCHANGED);
  });
});

test.runIf(isUpdating)('the README’s pictures are written', () => writeReadmePictures(browser, web.origin));
