import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anchors, pathTo, siteFilePaths } from '../../shared/paths.ts';
import { solutionPages } from '#content/solution-pages';
import { solutions } from '#content/solutions';
import { listOpenItems } from './find-item.ts';
import { holdRequests } from './hold-requests.ts';
import { eventually, moving, phone, serveSite, withoutReact } from './serve-site.ts';

const site = serveSite(undefined, moving);
/** Without the video, which none of these is about. */
const visit = site.shareTab({ reducedMotion: 'reduce' });
const visitPhone = site.shareTab(phone);
const visitWithoutScripts = site.shareTab({ javaScriptEnabled: false });

const findSummary = (page: Page, step: string) =>
  page.locator('main summary', { has: page.getByRole('heading', { name: step, exact: true }) });
const findCards = (page: Page) => page.locator(`#${anchors.solutions} li`);
/** How opaque the title and the description of a card are, rounded. */
const readOpacities = (page: Page, index: number) =>
  findCards(page)
    .nth(index)
    .locator('h3, p')
    .evaluateAll((words) => words.map((element) => Number(getComputedStyle(element).opacity)));

describe('the four steps of the process', () => {
  test('are these, and the first is open', async () => {
    const { page } = await visit('/');
    expect(await page.locator('main summary h3').allInnerTexts()).toEqual([
      'Assess',
      'Centralize',
      'Automate',
      'Optimize',
    ]);
    expect(await listOpenItems(page)).toEqual(['Assess']);
  });

  test('open on a click and close the one open before; the open one stays open', async () => {
    const { page } = await visit('/');
    await findSummary(page, 'Automate').click();
    expect(await listOpenItems(page)).toEqual(['Automate']);
    await findSummary(page, 'Automate').click();
    expect(await listOpenItems(page)).toEqual(['Automate']);
    await findSummary(page, 'Assess').click();
    expect(await listOpenItems(page)).toEqual(['Assess']);
  });

  test.each(['Enter', 'Space'])('do the same on %s', async (key) => {
    const { page } = await visit('/');
    await findSummary(page, 'Assess').press(key);
    expect(await listOpenItems(page)).toEqual(['Assess']);
    await findSummary(page, 'Assess').press('Tab');
    await page.keyboard.press(key);
    expect(await listOpenItems(page)).toEqual(['Centralize']);
    await page.keyboard.press(key);
    expect(await listOpenItems(page)).toEqual(['Centralize']);
  });

  test('open without JavaScript, one at a time', async () => {
    const { page } = await visitWithoutScripts('/');
    expect(await listOpenItems(page)).toEqual(['Assess']);
    await findSummary(page, 'Optimize').click();
    expect(await listOpenItems(page)).toEqual(['Optimize']);
  });
});

describe('‘Explore Solutions’', () => {
  test.each([
    ['glides', 'no-preference', 3],
    ['jumps, where less motion is asked for,', 'reduce', 1],
  ] as const)('%s to the solutions section', async (_how, reducedMotion, positionsAtLeast) => {
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
    else expect(places).toBeGreaterThanOrEqual(positionsAtLeast);
    expect(page.url()).toBe(`${site.origin}/#${anchors.solutions}`);
  });

  test.each(withoutReact)('leads there on a page %s', async (_mode, options) => {
    const { page } = await site.visit('/', { ...options, reducedMotion: 'reduce' });
    await page.getByRole('link', { name: 'Explore Solutions' }).click();

    await eventually(async () => Math.abs((await page.locator(`#${anchors.solutions}`).boundingBox())?.y ?? NaN))
      .toBeLessThan(100);
  });
});

describe('the solution cards', () => {
  test('are eight in two rows of four, each leading to its page', async () => {
    const { page } = await visit('/');
    const cards = findCards(page);
    const rows = await cards.evaluateAll((elements) =>
      elements.map((element) => Math.round(element.getBoundingClientRect().top + scrollY)),
    );

    expect(rows).toHaveLength(8);
    expect(new Set(rows.slice(0, 4)).size).toBe(1);
    expect(new Set(rows.slice(4)).size).toBe(1);
    expect(rows[4]).toBeGreaterThan(rows[0] ?? NaN);
    const links = await cards
      .locator('a')
      .evaluateAll((elements) => elements.map((link) => [link.textContent, link.getAttribute('href')]));
    expect(links).toEqual(solutions.map(({ name, slug }) => [name, pathTo.solution(slug)]));
  });

  test('show the description in the title’s place under a pointer, and the title again after', async () => {
    const { page } = await visit('/');
    expect(await readOpacities(page, 2)).toEqual([1, 0]);
    await findCards(page).nth(2).hover();
    await eventually(() => readOpacities(page, 2)).toEqual([0, 1]);
    expect(await readOpacities(page, 3)).toEqual([1, 0]);
    expect(await findCards(page).nth(2).locator('p').innerText()).toBe(Object.values(solutionPages)[2]?.cardText);

    await page.getByRole('banner').hover();
    await eventually(() => readOpacities(page, 2)).toEqual([1, 0]);
  });

  test('show the description on keyboard focus as well', async () => {
    const { page } = await visit('/');
    await page.getByRole('link', { name: 'Explore Solutions' }).focus();
    await eventually(async () => {
        await page.keyboard.press('Tab');

        return findCards(page).first().locator('a:focus').count();
      })
      .toBe(1);

    await eventually(() => readOpacities(page, 0)).toEqual([0, 1]);
    expect(await readOpacities(page, 1)).toEqual([1, 0]);
  });

  test.each([
    ['a mouse', visit],
    ['a finger', visitPhone],
  ])('are links all over, from the first moment, for %s', async (_pointer, open) => {
    const { page } = await open('/');
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

  test('show title and description, one under the other, where nothing can hover', async () => {
    const { page } = await visitPhone('/');
    for (let index = 0; index < solutions.length; index += 1) {
      expect(await readOpacities(page, index)).toEqual([1, 1]);
      const title = await findCards(page).nth(index).locator('h3').boundingBox();
      const text = await findCards(page).nth(index).locator('p').boundingBox();
      expect(text?.y).toBeGreaterThanOrEqual((title?.y ?? NaN) + (title?.height ?? NaN));
    }
  });
});

test('on a phone fonts that come late leave the headline as high as it was', async () => {
  // What is seen meanwhile has loaded no font yet.
  const { page } = await site.visit(siteFilePaths.robots, { ...phone, staysAsleep: true });
  const letFonts = await holdRequests(page, '**/*.woff2');
  await page.goto(site.origin, { waitUntil: 'domcontentloaded' });
  const hasFont = () => page.evaluate(() => document.fonts.check('600 16px Fraunces'));
  const readHeight = () => page.locator('h1').evaluate((heading) => heading.getBoundingClientRect().height);
  const before = await readHeight();
  expect(await hasFont()).toBe(false);
  letFonts();
  await eventually(hasFont).toBe(true);

  expect(await readHeight()).toBe(before);
});

test('three pillars, in this order', async () => {
  const { page } = await visitWithoutScripts('/');
  const pillars = page.locator('main section').first().locator('li h3');

  expect(await pillars.allInnerTexts()).toEqual([
    'Expand Revenue',
    'Cut Operational Costs',
    'Increase Business Value',
  ]);
});

test('two testimonials, each with a role and a company size', async () => {
  const { page } = await visitWithoutScripts('/');
  const testimonials = page.locator('main figure', { has: page.locator('blockquote') });

  expect(await testimonials.count()).toBe(2);
  for (const testimonial of await testimonials.all()) {
    expect(await testimonial.locator('blockquote').innerText()).toMatch(/^“.+”$/);
    const [role, companySize, ...others] = await testimonial.locator('figcaption span').allInnerTexts();
    expect(role).toMatch(/^\p{Lu}/u);
    expect(companySize).toMatch(/\w/);
    expect(others).toEqual([]);
  }
});

test('the hero’s solid button leads to the contact page', async () => {
  const { page } = await visit('/');
  await page.getByRole('link', { name: 'Free Business Transformation Assessment' }).click();

  await page.waitForURL('**/contact');
});
