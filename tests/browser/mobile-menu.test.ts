import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pathTo } from '../../shared/paths.ts';
import { findMenu, isOpen } from './find-menu.ts';
import { eventually, phone, serveSite, withoutScripts } from './serve-site.ts';

const site = serveSite();
const visitPhone = site.shareTab(phone);

const tapSummary = (page: Page, label: string) => findMenu(page, label).locator('> summary').tap();

async function openDrawer() {
  const { page } = await visitPhone('/about');
  await tapSummary(page, 'Menu');
  await findMenu(page, 'Solutions').waitFor();

  return { page };
}

const listInert = (page: Page) =>
  page
    .locator('main, footer')
    .evaluateAll((elements) => elements.map((element) => (element as HTMLElement).inert));
const listOpen = async (page: Page) => [
  await isOpen(page, 'Solutions'),
  await isOpen(page, 'Industries'),
];

test.each([
  [390, 844],
  [280, 653],
])('the drawer fills a %i-pixel-wide screen below the header, and the page behind is inert', async (width, height) => {
  const { page } = await visitPhone('/about');
  await page.setViewportSize({ width, height });
  await tapSummary(page, 'Menu');
  const drawer = findMenu(page, 'Menu');
  const panel = await drawer.locator('> div').boundingBox();
  const header = await page.getByRole('banner').boundingBox();

  expect(panel?.width).toBe(width);
  expect(panel?.y).toBeCloseTo(header?.height ?? NaN, -1);
  expect((panel?.y ?? NaN) + (panel?.height ?? NaN)).toBeCloseTo(height, -1);
  await drawer.getByRole('link', { name: 'Insights' }).click({ trial: true });
  expect(await listInert(page)).toEqual([true, true]);

  await tapSummary(page, 'Menu');
  expect(await isOpen(page, 'Menu')).toBe(false);
  await eventually(() => listInert(page)).toEqual([false, false]);
});

test('only one accordion is open at a time, and a tap on the open one closes it', async () => {
  const { page } = await openDrawer();
  await tapSummary(page, 'Solutions');
  expect(await listOpen(page)).toEqual([true, false]);
  await tapSummary(page, 'Industries');
  expect(await listOpen(page)).toEqual([false, true]);
  await tapSummary(page, 'Industries');
  expect(await listOpen(page)).toEqual([false, false]);
  expect(await isOpen(page, 'Menu')).toBe(true);
  expect(await listInert(page)).toEqual([true, true]);
});

test('the Tab key never leaves the drawer, even with an accordion open', async () => {
  const { page } = await openDrawer();
  await tapSummary(page, 'Solutions');
  const drawer = findMenu(page, 'Menu');
  const reachable = await drawer.locator('a:visible, summary:visible').count();

  for (const key of ['Tab', 'Shift+Tab']) {
    const reached = new Set<string>();
    for (let press = 0; press < 2 * reachable + 2; press += 1) {
      await page.keyboard.press(key);
      const [isInside, name] = await drawer.evaluate((element) => {
        const { activeElement } = document;
        // After the last link, focus moves to the browser's own controls.
        if (activeElement === document.body) return [true, ''] as const;

        return [element.contains(activeElement), activeElement?.textContent ?? ''] as const;
      });
      expect([isInside, name]).toEqual([true, name]);
      reached.add(name);
    }
    reached.delete('');
    expect(reached.size).toBe(reachable);
  }
});

test('Escape closes the drawer and returns the focus to its button', async () => {
  const { page } = await openDrawer();
  await tapSummary(page, 'Solutions');
  await findMenu(page, 'Solutions').getByRole('link').first().focus();
  await page.keyboard.press('Escape');

  expect(await isOpen(page, 'Menu')).toBe(false);
  const button = findMenu(page, 'Menu').locator('> summary');
  expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);
  await eventually(() => listInert(page)).toEqual([false, false]);
});

test('the drawer closes and the page is usable again when the screen becomes wide', async () => {
  const { page } = await openDrawer();
  const drawer = await findMenu(page, 'Menu').elementHandle();
  await page.setViewportSize({ width: 1280, height: 844 });

  await eventually(() => listInert(page)).toEqual([false, false]);
  expect(await drawer?.evaluate((element) => (element as HTMLDetailsElement).open)).toBe(false);
  expect(await isOpen(page, 'Solutions')).toBe(false);
});

test('the drawer and its accordions open without scripts, and their links work', async () => {
  const { page } = await site.visit('/about', { ...phone, ...withoutScripts });
  await tapSummary(page, 'Menu');
  await tapSummary(page, 'Industries');
  await findMenu(page, 'Industries').getByRole('link', { name: /Real Estate/ }).tap();
  await page.waitForURL(`**${pathTo.contact({ industry: 'real-estate' })}`);

  expect(await page.getByLabel('Industry').inputValue()).toBe('real-estate');
});
