import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { routePatterns } from '../../shared/paths.ts';
import { launchBrowser, openPage, waitUntilHydrated } from '../support/browser.ts';
import type { Check } from './container-checks.ts';
import type { Stack } from './stack.ts';

async function sendForm(page: Page): Promise<void> {
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill('Sweets');
  // A form posted sooner would be quarantined as possible spam.
  await page.waitForFunction(() => performance.now() > 2_500);
  await page.locator('main form button[type=submit]').click();
  await page.getByText(/We'll be in touch within \d/).waitFor();
}

async function sendRequest(page: Page, { httpsOrigin }: Stack): Promise<void> {
  await page.goto(httpsOrigin + routePatterns.home);
  await waitUntilHydrated(page);
  assert.equal(await page.locator('h1').count(), 1);
  await page.goto(httpsOrigin + routePatterns.contact);
  await waitUntilHydrated(page);
  await sendForm(page);
}

/**
 * Chromium's error for requests that it cancels because the machine gained or lost a network interface, for example
 * when another stack's containers start or stop.
 */
const NETWORK_CHANGED = 'net::ERR_NETWORK_CHANGED';

function rejectWhenNetworkChanges(page: Page): Promise<never> {
  return new Promise((_resolve, reject) => {
    page.on('requestfailed', (request) => {
      if (request.failure()?.errorText === NETWORK_CHANGED) reject(new Error(NETWORK_CHANGED));
    });
  });
}

/** Uses the site in a browser, over HTTPS through the proxy. */
async function visitOnce(stack: Stack): Promise<void> {
  const browser = await launchBrowser();
  try {
    // The certificate comes from the proxy's own authority.
    const { page, reportedErrors } = await openPage(browser, { ignoreHTTPSErrors: true });
    await Promise.race([sendRequest(page, stack), rejectWhenNetworkChanges(page)]);
    assert.deepEqual(reportedErrors, []);
  } finally {
    await browser.close();
  }
}

const MAX_VISITS = 10;

async function visit(stack: Stack, attempt = 1): Promise<void> {
  try {
    await visitOnce(stack);
  } catch (error) {
    if (!String(error).includes(NETWORK_CHANGED) || attempt === MAX_VISITS) throw error;
    await visit(stack, attempt + 1);
  }
}

/** The shortest path a visitor can take through a running site. */
export function checkBrowser(stack: Stack): Check[] {
  return [
    ['accepts a request from a browser, which reports no errors and no content policy violations', () => visit(stack)],
  ];
}
