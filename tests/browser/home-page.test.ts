import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anchors } from '../../shared/paths.ts';
import { solutionPages } from '#content/solution-pages';
import { solutions } from '#content/solutions';
import { eventually, moving, phone, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);
/** Visits the page without its video, which these tests don't need. */
const visit = site.shareTab({ reducedMotion: 'reduce' });
const visitPhone = site.shareTab(phone);

const findCards = (page: Page) => page.locator(`#${anchors.solutions} li`);
/** Returns the opacity of a card's title and description. */
const readOpacities = (page: Page, index: number) =>
  findCards(page)
    .nth(index)
    .locator('h3, p')
    .evaluateAll((words) => words.map((element) => Number(getComputedStyle(element).opacity)));

test.each([
  ['glides', 'no-preference'],
  ['jumps', 'reduce'],
] as const)('‘Explore Solutions’ %s to the solutions if the motion preference is ‘%s’', async (_how, reducedMotion) => {
  const { page } = await site.visit('/', { reducedMotion });
  await page.evaluate(() => {
    const positions: number[] = [];
    addEventListener('scroll', () => positions.push(scrollY));
    Object.assign(window, { positions });
  });
  await page.getByRole('link', { name: 'Explore Solutions' }).click();
  const headerHeight = (await page.getByRole('banner').boundingBox())?.height ?? NaN;
  const readTop = async () =>
    (await page.locator(`#${anchors.solutions}`).boundingBox())?.y ?? NaN;
  await eventually(async () => Math.abs((await readTop()) - headerHeight)).toBeLessThan(3);

  const positions = await page.evaluate(() => (window as unknown as { positions: number[] }).positions);
  const places = new Set(positions).size;
  if (reducedMotion === 'reduce') expect(places).toBe(1);
  else expect(places).toBeGreaterThanOrEqual(3);
  expect(page.url()).toBe(`${site.origin}/#${anchors.solutions}`);
});

describe('the solution cards', () => {
  test('show the description instead of the title while hovered or focused, and the title afterwards', async () => {
    const { page } = await visit('/');
    expect(await readOpacities(page, 2)).toEqual([1, 0]);
    await findCards(page).nth(2).hover();
    await eventually(() => readOpacities(page, 2)).toEqual([0, 1]);
    expect(await readOpacities(page, 3)).toEqual([1, 0]);
    expect(await findCards(page).nth(2).locator('p').innerText()).toBe(Object.values(solutionPages)[2]?.cardText);

    await page.getByRole('banner').hover();
    await eventually(() => readOpacities(page, 2)).toEqual([1, 0]);
    await page.getByRole('link', { name: 'Explore Solutions' }).focus();
    await eventually(async () => {
      await page.keyboard.press('Tab');

      return findCards(page).first().locator('a:focus').count();
    }).toBe(1);

    await eventually(() => readOpacities(page, 0)).toEqual([0, 1]);
    expect(await readOpacities(page, 1)).toEqual([1, 0]);
  });

  test('are clickable over their whole area from the start', async () => {
    const { page } = await visit('/');
    const card = findCards(page).nth(1);
    await card.scrollIntoViewIfNeeded();
    const listReached = () =>
      card.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const places = [0.1, 0.5, 0.9];
        const reached = places.flatMap((y) =>
          places.map((x) => {
            const hit = document.elementFromPoint(left + x * width, top + y * height);

            return hit?.closest('a')?.textContent ?? hit?.tagName;
          }),
        );

        return [...new Set(reached)];
      });

    await eventually(listReached).toEqual([solutions[1]?.name]);
  });

  test('show the title above the description on devices without hover', async () => {
    const { page } = await visitPhone('/');
    for (let index = 0; index < solutions.length; index += 1) {
      expect(await readOpacities(page, index)).toEqual([1, 1]);
      const title = await findCards(page).nth(index).locator('h3').boundingBox();
      const text = await findCards(page).nth(index).locator('p').boundingBox();
      expect(text?.y).toBeGreaterThanOrEqual((title?.y ?? NaN) + (title?.height ?? NaN));
    }
  });
});
