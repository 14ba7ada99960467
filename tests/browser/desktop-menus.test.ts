import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { industries } from '#content/industries';
import { solutions } from '#content/solutions';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { findMenu, isOpen, listLinks } from './find-menu.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();
const visit = site.shareTab();

/** A page without a video. */
const quietPage = routePatterns.termsOfService;

/** In milliseconds. Longer than a menu takes to open or close on hover. */
const MENU_DELAY = 1_000;

const findSummary = (page: Page, label: string) => findMenu(page, label).locator('> summary');
const hasFocus = (page: Page, label: string) =>
  findSummary(page, label).evaluate((element) => element === document.activeElement);
const isFocusInMenu = (page: Page, label: string) =>
  findMenu(page, label).evaluate((element) => element.contains(document.activeElement));

const listSolutions = (group: 'solutions' | 'products') =>
  solutions.filter((solution) => solution.group === group).map(({ name, slug }) => [name, pathTo.solution(slug)]);
/** Private Equity is the form's last option but the menu's first entry. */
const allIndustries = [...industries.slice(-1), ...industries.slice(0, -1)].map(({ name, value }) => [name, pathTo.contact({ industry: value })]);

test.each([
  ['Solutions', [listSolutions('solutions'), listSolutions('products')], ['Register now', '/contact']],
  ['Industries', [allIndustries.slice(0, 5), allIndustries.slice(5)], ['View cases', '/insights']],
] as const)('the %s menu has two columns, a promotion with its picture, and a help link at the end', async (label, columns, [action, to]) => {
  const { page } = await visit(quietPage);
  await findSummary(page, label).click();
  const menu = findMenu(page, label);
  const lists = menu.locator('ul:visible');

  expect(await lists.count()).toBe(2);
  expect([await listLinks(lists.first()), await listLinks(lists.last())]).toEqual(columns);
  expect(await menu.getByRole('link', { name: action }).getAttribute('href')).toBe(to);
  await eventually(() => menu.locator('picture').getAttribute('data-state')).toBe('loaded');
  expect((await listLinks(menu)).at(-1)).toEqual(['Contact Professional Services', '/contact']);
});

describe('a menu', () => {
  const label = 'Solutions';

  test('opens when the pointer rests on it, and closes when it leaves', async () => {
    const { page } = await site.visit(quietPage);
    await page.clock.install();
    await page.clock.pauseAt(new Date(Date.now() + 60_000));
    await findSummary(page, label).hover();
    await page.clock.runFor(50);
    expect(await isOpen(page, label)).toBe(false);
    await page.clock.runFor(MENU_DELAY);
    expect(await isOpen(page, label)).toBe(true);

    await findMenu(page, label).getByRole('link').first().hover();
    await page.clock.runFor(MENU_DELAY);
    expect(await isOpen(page, label)).toBe(true);

    await page.mouse.move(20, 780);
    // A busy browser may report the pointer's movement late.
    await eventually(async () => {
      await page.clock.runFor(MENU_DELAY);

      return isOpen(page, label);
    }).toBe(false);
  });

  test('opens on Enter, and Escape closes it and returns the focus', async () => {
    const { page } = await visit(quietPage);
    await findSummary(page, label).focus();
    await page.keyboard.press('Enter');
    await eventually(() => isOpen(page, label)).toBe(true);
    await page.keyboard.press('Tab');
    expect([await isFocusInMenu(page, label), await hasFocus(page, label)]).toEqual([true, false]);
    await page.keyboard.press('Escape');

    expect(await isOpen(page, label)).toBe(false);
    expect(await hasFocus(page, label)).toBe(true);
  });

  test('closes when the focus leaves it in either direction', async () => {
    const { page } = await visit(quietPage);
    for (const key of ['Tab', 'Shift+Tab']) {
      await findSummary(page, label).focus();
      await page.keyboard.press('Enter');
      await eventually(() => isOpen(page, label)).toBe(true);
      const links = await findMenu(page, label).getByRole('link').count();
      const presses = key === 'Tab' ? links + 1 : 1;
      for (let press = 1; press < presses; press += 1) {
        await page.keyboard.press(key);
        expect(await isFocusInMenu(page, label)).toBe(true);
      }
      await page.keyboard.press(key);

      expect(await isFocusInMenu(page, label)).toBe(false);
      expect(await isOpen(page, label)).toBe(false);
    }
  });
});

test('only one menu is open at a time, whether it was clicked or hovered', async () => {
  const { page } = await visit(quietPage);
  const listOpen = async () => [await isOpen(page, 'Solutions'), await isOpen(page, 'Industries')];
  await findSummary(page, 'Solutions').click();
  expect(await listOpen()).toEqual([true, false]);
  await findSummary(page, 'Industries').click();
  expect(await listOpen()).toEqual([false, true]);
  await findSummary(page, 'Solutions').hover();
  await eventually(listOpen).toEqual([true, false]);
});
