import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { findProgram, systemPath } from '../../scripts/prerequisites.ts';

/** Flags that turn off the sandbox, which doesn't work for root, and the browser's own calls to other servers. */
const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
] as const;

/**
 * Makes Chromium load lazy pictures at the distance (in pixels) that it uses on fast networks. Otherwise it would
 * mistake a busy machine for a slow network and load pictures farther away. The option overrides Playwright's pointer
 * settings, so it repeats them: the pointer is a mouse.
 */
const blinkSettings = [
  ...['primaryHoverType=2', 'availableHoverTypes=2', 'primaryPointerType=4', 'availablePointerTypes=4'],
  ...['Unknown', 'Offline', 'Slow2G', '2G', '3G', '4G'].map((kind) => `lazyLoadingImageMarginPx${kind}=1250`),
].join();

/**
 * Makes V8 compile and collect garbage on the page's own thread. While other tests run, its helper threads would wait
 * for a core and use 10% more CPU time.
 */
const v8Flags = '--js-flags=--single-threaded';

/**
 * Launches Chromium's headless shell, which has the same engine but no window. With a window, two thirds of a page's
 * CPU time would go to the window's processes.
 * @param flags additional flags
 * @throws if it is not installed
 */
export function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  const executablePath = findProgram('chromium-headless-shell', systemPath);
  if (executablePath === undefined) {
    throw new Error('chromium-headless-shell is not installed. npm test installs it if run as root on Debian.');
  }

  return chromium.launch({
    executablePath,
    args: [...chromiumFlags, `--blink-settings=${blinkSettings}`, v8Flags, ...flags],
  });
}

/** Launches Debian's full Chromium, because the headless shell has no back/forward cache. */
export function launchWholeBrowser(): Promise<Browser> {
  const executablePath = findProgram('chromium', systemPath);
  if (executablePath === undefined) throw new Error('chromium is not installed. npm test installs it if run as root on Debian.');

  return chromium.launch({
    executablePath,
    args: [...chromiumFlags],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
}

export interface WatchedPage {
  readonly page: Page;
  /** Errors and warnings from the page's console, uncaught errors and policy violations. */
  readonly reportedErrors: string[];
}

/** Opens a page in a separate context and collects its errors. */
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
 * Milliseconds after which a page counts as idle regardless. On about one page in fifty, Chromium delays the idle
 * callback until the next frame, and a page that draws nothing has no next frame.
 */
const IDLE_TIMEOUT = 1000;

/** Waits until a page is idle. */
export const waitUntilIdle = (page: Page) =>
  page.evaluate((timeout) => new Promise((resolve) => requestIdleCallback(resolve, { timeout })), IDLE_TIMEOUT);

/** Runs in the page. Returns whether the main content's last element belongs to React. */
const hasReact = (): boolean =>
  Object.keys([...document.querySelectorAll('main *')].at(-1) ?? {}).some((key) => key.startsWith('__reactFiber'));

export const isHydrated = (page: Page): Promise<boolean> => page.evaluate(hasReact);

/**
 * Triggers hydration with a key press and waits until it is complete: React owns the main content's last element, and
 * the page is idle.
 */
export async function waitUntilHydrated(page: Page): Promise<void> {
  await page.keyboard.press('Shift');
  await page.waitForFunction(hasReact);
  // Effects run shortly after React takes over an element. They are tasks, so they run before the idle callback.
  await waitUntilIdle(page);
}
