import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { beforeAll, expect, inject, onTestFinished } from 'vitest';
import { launchBrowser, openPage, waitUntilHydrated, type WatchedPage } from '../support/browser.ts';
import { iconPaths } from '../../shared/paths.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { startWebProcess, type Environment, type WebProcess } from '../support/site-process.ts';

export const desktop: BrowserContextOptions = { viewport: { width: 1280, height: 800 } };
export const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  isMobile: true,
  hasTouch: true,
};

/** Milliseconds a condition may take before its test fails. */
const TIMEOUT = 10_000;

interface VisitOptions extends BrowserContextOptions {
  /** The page the visitor comes from. */
  readonly referer?: string;
  /** Runs before the page is requested: to intercept a request, or to change the page. */
  readonly prepare?: (page: Page) => Promise<unknown>;
}

interface Visit extends WatchedPage {
  readonly status: number | undefined;
}

export interface Site {
  readonly origin: string;
  readonly databaseUrl: string;
  /** Opens a page as a visitor does, and waits until it is hydrated where scripts may run. */
  visit(path: string, options?: VisitOptions): Promise<Visit>;
}

/** Records what no page may do: ask another origin, get no response, or break the content policy. */
async function watchRequests({ page, reportedErrors }: WatchedPage, origin: string): Promise<void> {
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== origin) reportedErrors.push(`asked ${url.href}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText;
    // The browser asks for the tab's icon late, and gives it up when the visitor moves on.
    if (reason === 'net::ERR_ABORTED' && request.url().endsWith(iconPaths.svg)) return;
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

/** `expect.poll` with the timeout of these tests: on a busy machine a second is not enough. */
export const eventually: typeof expect.poll = (read, options) =>
  expect.poll(read, { timeout: TIMEOUT, ...options });

/** Twice the size of text, as a visitor may set (WCAG 2.2, 1.4.4). */
export async function enlargeText(page: Page): Promise<void> {
  await page.locator('html').evaluate((element) => {
    element.style.fontSize = '200%';
  });
}

/** A web process with a database and these settings. */
async function startSite(settings: Environment) {
  const databaseUrl = await createMigratedDatabase();
  const web = await startWebProcess({ DATABASE_URL: databaseUrl, INSIGHTS_PASSWORD: PASSWORD, ...settings });

  return { ...web, databaseUrl };
}

/** The web process of all files whose tests change nothing of it. */
const useSharedSite = () => ({
  origin: inject('sharedOrigin'),
  databaseUrl: inject('postgresUrl'),
  stop: async () => undefined,
});

/**
 * One browser for the tests of a file, and a site.
 * @param settings of a site of its own, beside a database and a password for the insights; without them it is the
 *   one that all such files share
 */
export function serveSite(settings?: Environment): Site {
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
    visit: async (path, { prepare, referer, ...options } = {}) => {
      const watched = await openPage(browser, { ...desktop, ...options });
      onTestFinished(() => watched.page.context().close());
      watched.page.setDefaultTimeout(TIMEOUT);
      await watchRequests(watched, web.origin);
      await prepare?.(watched.page);
      const from = referer === undefined ? {} : { referer };
      const response = await watched.page.goto(web.origin + path, from);
      if (options.javaScriptEnabled !== false) await waitUntilHydrated(watched.page);

      return { ...watched, status: response?.status() };
    },
  };
}
