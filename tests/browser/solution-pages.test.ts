import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { solutionPages } from '#content/solution-pages';
import { pathTo } from '../../shared/paths.ts';
import { serveSite, withoutScripts } from './serve-site.ts';

const site = serveSite();

const INK_ON_PAPER = 'rgb(0, 0, 0)';
/** Height in pixels. */
const SMALLEST_TARGET = 44;

const findRegion = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
/** Returns the titles of the open accordion items. */
const listOpenItems = (region: Locator) => region.locator('details[open] > summary h3').allInnerTexts();
const findSummary = (region: Locator, title: string) => region.locator('summary', { hasText: title });

async function checkPaper(page: Page) {
  await page.emulateMedia({ media: 'print' });
  const folded = await page.locator('main details > :not(summary)').evaluateAll((elements) =>
    elements.map((element) => ({
      isShown: element.checkVisibility({ visibilityProperty: true, opacityProperty: true }),
      colors: [element, ...element.querySelectorAll('*')].map((each) => getComputedStyle(each).color),
    })),
  );
  const areNavigationsShown = await Promise.all(
    (['banner', 'contentinfo'] as const).map((role) => page.getByRole(role, { includeHidden: true }).isVisible()),
  );
  await page.emulateMedia({ media: 'screen' });

  expect(folded.map(({ isShown }) => isShown)).toEqual(folded.map(() => true));
  expect(new Set(folded.flatMap(({ colors }) => colors))).toEqual(new Set([INK_ON_PAPER]));
  expect(areNavigationsShown).toEqual([false, false]);
}

async function checkPhone(page: Page) {
  await page.setViewportSize({ width: 390, height: 844 });
  const targets = await page
    .locator('main summary, main a[href="/contact"]')
    .evaluateAll((elements) => elements.map((element) => element.getBoundingClientRect().height));

  expect(Math.min(...targets)).toBeGreaterThanOrEqual(SMALLEST_TARGET);
}

const slug = 'contract-compliance';
const solution = solutionPages[slug];
if (!solution?.pairs) throw new Error('These tests need a solution with pairs.');
const { pairs, benefits, howItWorks } = solution;

test('a solution page lists its benefits, prints completely, and has large tap targets on a phone', async () => {
  const { page } = await site.visit(pathTo.solution(slug), withoutScripts);
  const points = findRegion(page, benefits.heading).getByRole('listitem').getByRole('heading');

  expect(await points.allInnerTexts()).toEqual(benefits.points.map(({ title }) => title));
  await checkPaper(page);
  await checkPhone(page);
});

test('a solution page always has exactly one open step, and its pairs open and close', async () => {
  const { page } = await site.visit(pathTo.solution(slug));
  const steps = findRegion(page, howItWorks.heading);
  const [first = '', second = ''] = howItWorks.steps.map(({ title }) => title);
  expect(await listOpenItems(steps)).toEqual([first]);
  for (let click = 1; click <= 2; click += 1) {
    await findSummary(steps, second).click();
    expect(await listOpenItems(steps)).toEqual([second]);
  }

  const region = findRegion(page, pairs.heading);
  const [one = '', other = ''] = pairs.pairs.map(({ problem }) => problem.title);
  expect(await listOpenItems(region)).toEqual([one]);
  await findSummary(region, one).click();
  expect(await listOpenItems(region)).toEqual([]);
  await findSummary(region, other).click();
  expect(await listOpenItems(region)).toEqual([other]);
});
