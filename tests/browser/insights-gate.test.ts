import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { insightsQuery, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { findViolations } from './find-violations.ts';
import { holdRequests } from './hold-requests.ts';
import { findAccess, findCards, findField, findLock, findUnlock, serveInsights } from './insights-page.ts';
import { enlargeText, eventually, phone, readOverflow } from './serve-site.ts';

const { site, visit, visitUnlocked } = serveInsights();

const WRONG = 'Incorrect password. Please try again.';
const FLAG = 'insights_authenticated';
/** Chromium logs every response with an error status, even an expected one. */
const EXPECTED = /401/;

const findOverlay = (page: Page) => page.getByRole('heading', { name: 'Premium Insights' });
const readFlag = (page: Page) => page.evaluate((key) => localStorage.getItem(key), FLAG);

describe('locked', () => {
  test('the listing is blurred, inert and covered by the gate', async () => {
    const { page, reportedErrors } = await visit();
    const skeletons = page.locator('[inert]');

    expect(await findOverlay(page).isVisible()).toBe(true);
    const request = page.getByRole('link', { name: 'Ask for it with your free assessment' });
    expect(await request.getAttribute('href')).toBe(routePatterns.contact);
    expect(await skeletons.getAttribute('aria-hidden')).toBe('true');
    expect(await skeletons.evaluate((element) => getComputedStyle(element).filter)).toContain('blur');
    expect(await skeletons.locator('a, button, input').count()).toBe(0);
    expect((await skeletons.innerText()).trim()).toBe('');
    expect(await findCards(page).count()).toBe(0);
    expect(await readFlag(page)).toBeNull();
    expect(reportedErrors).toEqual([]);
  });

  test('the server-rendered form keeps the visitor’s focus when React hydrates', async () => {
    let releaseScripts = () => {};
    const { page } = await visit(`${routePatterns.insights}?${insightsQuery.unlock}=1`, {
      staysUnhydrated: true,
      prepare: async (opened) => {
        releaseScripts = await holdRequests(opened, ({ pathname }) => /^(?!.*\/start\.).*\.js$/.test(pathname));
      },
    });
    const email = page.getByLabel('Email address');
    await findField(page).fill('typed early');
    await email.pressSequentially('ada@');
    releaseScripts();
    await waitUntilHydrated(page);
    await page.keyboard.type('example.org');

    expect(await email.inputValue()).toBe('ada@example.org');
    expect(await findField(page).inputValue()).toBe('typed early');
    expect(await findUnlock(page).isEnabled()).toBe(true);
  });

  test('the button opens the form and focuses its field, and a wrong password shows a red box and focuses the field again', async () => {
    const { page, reportedErrors } = await visit();
    await findAccess(page).press('Enter');
    await page.locator('input[type=password]:focus').waitFor();
    expect(await findAccess(page).count()).toBe(0);
    await findField(page).fill('wrong');
    await page.keyboard.press('Enter');

    const box = page.getByRole('alert');
    expect(await box.innerText()).toBe(WRONG);
    expect(await box.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(159, 29, 29)');
    await page.locator('input[type=password]:focus').waitFor();
    expect(await findField(page).getAttribute('aria-invalid')).toBe('true');
    expect(await findField(page).getAttribute('aria-describedby')).toBe(await box.getAttribute('id'));
    expect(await findOverlay(page).isVisible()).toBe(true);
    expect(await readFlag(page)).toBeNull();
    expect(await findViolations(page)).toEqual([]);
    expect(reportedErrors.filter((text) => !EXPECTED.test(text))).toEqual([]);
  });
});

test('the unlocked listing is shown, stays open after a reload, and can be locked again', async () => {
  const { page, reportedErrors } = await visitUnlocked();
  expect(await readFlag(page)).toBe('true');
  expect(await findCards(page).count()).toBe(9);
  expect(await findOverlay(page).count()).toBe(0);
  await eventually(() => page.url()).toBe(site.origin + routePatterns.insights);
  expect(await findViolations(page)).toEqual([]);

  await page.reload();
  await waitUntilHydrated(page);
  expect(await findCards(page).count()).toBe(9);

  const lock = await findLock(page).boundingBox();
  const content = await page.getByRole('region', { name: 'Articles', exact: true }).boundingBox();
  expect(lock?.x).toBeGreaterThan(640);
  expect((lock?.y ?? NaN) - (content?.y ?? NaN)).toBeLessThan(200);
  await findLock(page).click();
  await findOverlay(page).waitFor();
  await eventually(() => readFlag(page)).toBeNull();
  expect(await findCards(page).count()).toBe(0);
  await page.reload();
  await findOverlay(page).waitFor();
  expect(reportedErrors).toEqual([]);
});

test('the open listing fits 320- and 390-pixel-wide phones, even at double text size', async () => {
  const { page } = await visitUnlocked(routePatterns.insights, { ...phone, viewport: { width: 320, height: 640 } });
  const readOverflows = async () => {
    const overflows: number[] = [];
    for (const width of [320, 390]) {
      await page.setViewportSize({ width, height: 640 });
      overflows.push(await readOverflow(page));
    }

    return overflows;
  };

  expect(await findViolations(page)).toEqual([]);
  expect(await readOverflows()).toEqual([0, 0]);
  await enlargeText(page);
  expect(await readOverflows()).toEqual([0, 0]);
});
