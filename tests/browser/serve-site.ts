import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, inject, onTestFinished } from 'vitest';
import { siteFilePaths } from '../../shared/paths.ts';
import { launchBrowser, openPage, waitUntilHydrated, type WatchedPage } from '../support/browser.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { startWebProcess, type Environment, type WebProcess } from '../support/site-process.ts';

const desktopViewport = { width: 1280, height: 800 } as const;
export const desktop: BrowserContextOptions = { viewport: desktopViewport };
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/** How long to wait for a condition on a busy machine, in milliseconds. */
const TIMEOUT = 30_000;

export interface VisitOptions extends BrowserContextOptions {
  /** The page the visitor comes from. */
  readonly referer?: string | undefined;
  /** Don't wait for hydration. The test may trigger it. */
  readonly staysUnhydrated?: boolean | undefined;
  /** Runs before the page is requested. It may intercept requests or change the page. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

export interface SharedTabOptions extends Omit<VisitOptions, 'prepare'> {
  /** Preserves cookies and storage between tests, as if all tests were the same visitor. */
  readonly keepsVisitor?: boolean | undefined;
}

export interface Visit extends WatchedPage {
  readonly status: number | undefined;
}

export interface Site {
  readonly origin: string;
  readonly databaseUrl: string;
  /** Opens a page as a visitor would and waits for hydration, unless scripts are disabled. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
  /**
   * Returns a function that opens a page in a tab shared by several tests. This takes half the processor time of
   * separate tabs, which compile the scripts again. Cached files and history remain between tests, but cookies and
   * storage don't. Don't use it for tests that count requests or history entries or that change the browser context.
   */
  shareTab(options?: SharedTabOptions): (path: string) => Promise<Visit>;
}

/** Records requests to other origins, requests that got no response, and violations of the content policy. */
async function watchRequests({ page, reportedErrors }: WatchedPage, origin: string): Promise<void> {
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) reportedErrors.push(`asked ${url.href}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // The browser cancels its requests when it leaves a page. It also reads a video in parts, beginning with the index at
    // the end.
    if (reason === 'net::ERR_ABORTED') return;
    reportedErrors.push(`${reason}: ${request.url()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) reportedErrors.push(`${response.status()}: ${response.url()}`);
  });
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      reportError(new Error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
    });
  });
}

/** `expect.poll` with these tests' timeout. */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: TIMEOUT, ...options });

/** Waits for two frames, after which all current changes are visible on the screen. */
export const awaitFrames = (page: Page) =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));

export const readScroll = (page: Page) => page.evaluate(() => Math.round(scrollY));

/** Returns how many pixels wider the page is than the screen. */
export const readOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Doubles the text size, as visitors can (WCAG 2.2, 1.4.4). */
export async function enlargeText(page: Page): Promise<void> {
  await page.locator('html').evaluate((element) => {
    element.style.fontSize = '200%';
  });
}

/** Blocks all scripts except the first one, which every document links to. */
export const cutScripts = (page: Page): Promise<unknown> =>
  page.route('**/*.js', (route) => (route.request().url().includes('/start.') ? route.continue() : route.abort()));

export const withoutScripts = { javaScriptEnabled: false } as const;

/** Avoids videos and animations, which most tests don't check. */
const calm: BrowserContextOptions = { reducedMotion: 'reduce' };

/** For tests that need videos and animations. */
export const moving: BrowserContextOptions = { reducedMotion: 'no-preference' };

async function openTab(
  browser: Browser,
  origin: string,
  { referer: _referer, staysUnhydrated: _staysUnhydrated, keepsVisitor: _keepsVisitor, ...options }: SharedTabOptions,
): Promise<WatchedPage> {
  const tab = await openPage(browser, { ...desktop, ...options });
  tab.page.setDefaultTimeout(TIMEOUT);
  await watchRequests(tab, origin);
  await forbidPrerendering(tab.page);

  return tab;
}

/** Disables prerendering on hover, because Playwright never shows prerendered pages. */
async function forbidPrerendering(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.setPrerenderingAllowed', { isAllowed: false });
}

type GoToOptions = Pick<VisitOptions, 'javaScriptEnabled' | 'staysUnhydrated' | 'referer'>;

/** Opens a page and waits for hydration, unless `staysUnhydrated` is set or scripts are disabled. */
async function goTo(
  tab: WatchedPage,
  url: string,
  { javaScriptEnabled = true, staysUnhydrated = false, referer }: GoToOptions,
): Promise<Visit> {
  const response = await tab.page.goto(url, referer === undefined ? {} : { referer });
  if (javaScriptEnabled && !staysUnhydrated) await waitUntilHydrated(tab.page);

  return { ...tab, status: response?.status() };
}

/** Deletes the site's cookies and storage. */
async function forgetVisitor(page: Page): Promise<void> {
  await page.context().clearCookies();
  await page.evaluate(() => {
    localStorage.clear();
    sessionStorage.clear();
  });
}

/**
 * Stops the page's activity and undoes a test's changes. The tab then shows one of the site's files without scripts,
 * because `about:blank` would end the tab's process, and the next page would compile its scripts again.
 */
async function emptyTab(
  { page, reportedErrors }: WatchedPage,
  origin: string,
  { viewport, keepsVisitor = false }: SharedTabOptions,
): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.goto(origin + siteFilePaths.robots);
  if (!keepsVisitor) await forgetVisitor(page);
  await page.mouse.move(0, 0);
  await page.setViewportSize(viewport ?? desktopViewport);
  reportedErrors.length = 0;
}

/** Starts a web process with a database and these settings. */
export async function startSite(settings: Environment) {
  const databaseUrl = await createMigratedDatabase();
  const web = await startWebProcess(
    { DATABASE_URL: databaseUrl, INSIGHTS_PASSWORD: PASSWORD, ...settings },
    'tests/support/web-entry.ts',
  );

  return { ...web, databaseUrl };
}

/** The web process shared by all test files that don't change it. */
const useSharedSite = () => ({ ...inject('sharedSite'), stop: async () => undefined });

/**
 * Starts a browser and a site for a file's tests.
 * @param settings settings for a separate site, which also has a database and an insights password. Without settings,
 *   the tests use the shared site
 * @param motion default motion preference for visits
 */
export function serveSite(settings?: Environment, motion = calm): Site {
  let web: Pick<WebProcess, 'origin'> & { readonly databaseUrl: string; readonly stop: () => Promise<unknown> };
  let browser: Browser;

  beforeAll(async () => {
    web = settings ? await startSite(settings) : useSharedSite();
    browser = await launchBrowser();

    return async () => {
      await browser.close();
      await web.stop();
    };
  });

  return {
    get origin() {
      return web.origin;
    },
    get databaseUrl() {
      return web.databaseUrl;
    },
    visit: async (path, { prepare, ...options } = {}) => {
      const tab = await openTab(browser, web.origin, { ...motion, ...options });
      onTestFinished(() => tab.page.context().close());
      await prepare?.(tab.page);

      return goTo(tab, web.origin + path, options);
    },
    shareTab: (options = {}) => {
      let opened: Promise<WatchedPage> | undefined;

      return async (path) => {
        opened ??= openTab(browser, web.origin, { ...motion, ...options });
        const tab = await opened;
        onTestFinished(async ({ task }) => {
          if (task.result?.state !== 'fail') return emptyTab(tab, web.origin, options);
          // The tab may be loading another page.
          opened = undefined;
          await tab.page.context().close();
        });

        return goTo(tab, web.origin + path, options);
      };
    },
  };
}
