import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { findProgram, systemPath } from '../../scripts/prerequisites.ts';

/** Flags for a browser without a sandbox, which root can't have, and without calls to other servers. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

/**
 * How far below the screen lazy pictures are fetched, in pixels, as on a fast network: on a busy machine responses
 * come as late as on a slow one, where Chromium fetches them from further away. The pointer is Playwright's own
 * setting, which this option replaces: a mouse.
 */
const blinkSettings = [
  ...['primaryHoverType=2', 'availableHoverTypes=2', 'primaryPointerType=4', 'availablePointerTypes=4'],
  ...['Unknown', 'Offline', 'Slow2G', '2G', '3G', '4G'].map((kind) => `lazyLoadingImageMarginPx${kind}=1250`),
].join();

/**
 * V8 compiles and collects garbage on the page's own thread. Beside other tests its helpers wait for a core, and take
 * a tenth more processor time.
 */
const v8Flags = '--js-flags=--single-threaded';

/**
 * Launches Chromium's headless shell: the same engine without the browser's own window, whose processes take
 * two thirds of the processor time of a page.
 * @param flags additional to those of every test
 * @throws if it is not installed
 */
export function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findProgram('chromium-headless-shell', systemPath);
  if (executablePath === undefined) {
    throw new Error('chromium-headless-shell is not installed; npm test installs it where it may.');
  }

  return chromium.launch({
    executablePath,
    args: [...chromiumFlags, `--blink-settings=${blinkSettings}`, v8Flags, ...flags],
  });
}

/** Launches Debian's full Chromium, because the headless shell can't show pages again from memory. */
export function launchWholeBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium', systemPath);
  if (executablePath === undefined) throw new Error('chromium is not installed; npm test installs it where it may.');

  return chromium.launch({
    executablePath,
    args: [...chromiumFlags],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings of the page's console, uncaught errors and policy violations. */
  readonly reportedErrors: string[];
}

/** A page in a separate context whose errors are collected. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  const reportedErrors: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) reportedErrors.push(message.text());
  });
  page.on('pageerror', (error) => reportedErrors.push(error.message));

  return { page, reportedErrors };
}

/**
 * Milliseconds after which a page counts as idle at the latest. Chromium may leave out the idle callbacks of a page that
 * draws nothing more: one in about fifty came only with the next frame, and on a still page there is none.
 */
const IDLE_TIMEOUT = 1000;

/** Waits until a page is idle. */
export const waitUntilIdle = (page: Page) =>
  page.evaluate((timeout) => new Promise((resolve) => requestIdleCallback(resolve, { timeout })), IDLE_TIMEOUT);

/** Runs in the page: whether the last element of its main content belongs to React. */
const hasReact = (): boolean =>
  Object.keys([...document.querySelectorAll('main *')].at(-1) ?? {}).some((key) => key.startsWith('__reactFiber'));

export const isHydrated = (page: Page): Promise<boolean> => page.evaluate(hasReact);

/**
 * Triggers hydration with a key and waits until it is complete: React owns the last element of the main content, and the
 * page is idle.
 */
export async function waitUntilHydrated(page: Page): Promise<void> {
  await page.keyboard.press('Shift');
  await page.waitForFunction(hasReact);
  // Effects run shortly after React takes over an element. They are tasks, so they run before the idle callback.
  await waitUntilIdle(page);
}
