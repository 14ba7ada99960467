import { AxeBuilder } from '@axe-core/playwright';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listPagePaths } from '../../shared/content/pages.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { createMigratedDatabase } from '../support/database.ts';
import { startWebProcess, type WebProcess } from '../support/site-process.ts';

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

async function visit(path: string, options: Parameters<typeof openPage>[1] = {}) {
  const watched = await openPage(browser, options);
  onTestFinished(() => watched.page.context().close());
  const answer = await watched.page.goto(web.origin + path, { waitUntil: 'networkidle' });

  return { ...watched, status: answer?.status() };
}

describe.each([...listPagePaths(), '/nope'])('%s', (path) => {
  test('hydrates without a complaint and passes the accessibility rules', async () => {
    const { page, complaints } = await visit(path);
    const { violations } = await new AxeBuilder({ page }).analyze();

    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    // The document itself, when it is the not-found page.
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  test('fits a screen 320 pixels wide, also without JavaScript', async () => {
    const { page } = await visit(path, { viewport: { width: 320, height: 640 }, javaScriptEnabled: false });
    const overflow = await page
      .locator('html')
      .evaluate((element) => element.scrollWidth - element.clientWidth);

    expect(overflow).toBeLessThanOrEqual(0);
    expect(await page.locator('h1').isVisible()).toBe(true);
  });
});

describe('moving through the site', () => {
  test('changes page, title, focus and scroll position without loading a document', async () => {
    const { page, complaints } = await visit('/');
    let documents = 0;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) documents += 1;
    });
    await page.evaluate(() => window.scrollTo(0, 2_000));
    await page.locator('footer a[href="/about"]').click();
    await page.waitForURL('**/about');

    await expect.poll(() => page.title()).toContain('About');
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(0);
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    expect(documents).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('leads an industry to the contact form with its option chosen', async () => {
    const { page } = await visit('/industries/transportation');

    expect(new URL(page.url()).search).toBe('?industry=transportation-logistics');
    expect(await page.getByLabel('Industry').inputValue()).toBe('transportation-logistics');
  });

  test('leaves an unknown page for a known one', async () => {
    const { page } = await visit('/insights/none');
    await page.locator('main').getByRole('link', { name: /contact/i }).first().click();
    await page.waitForURL('**/contact');

    await page.getByLabel('Full Name').waitFor();
  });
});

describe('the header', () => {
  test('opens its menus by click and by keyboard, and Escape closes them', async () => {
    const { page } = await visit('/');
    const solutions = page.locator('header summary', { hasText: 'Solutions' }).first();
    await solutions.focus();
    await page.keyboard.press('Enter');
    const link = page.locator('header').getByRole('link', { name: /Vendor Management System/ }).first();
    await link.waitFor();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await solutions.evaluate((element) => element === document.activeElement)).toBe(true);
  });

  test('leads on without JavaScript, on a wide screen and on a phone', async () => {
    for (const width of [1440, 390]) {
      const { page } = await visit('/', { viewport: { width, height: 800 }, javaScriptEnabled: false });
      if (width === 390) await page.locator('header summary:visible').first().click();
      await page.locator('header summary:visible', { hasText: 'Industries' }).click();
      await page.locator('header').getByRole('link', { name: /Real Estate/ }).locator('visible=true').click();

      expect(page.url()).toBe(`${web.origin}/contact?industry=real-estate`);
    }
  });
});
