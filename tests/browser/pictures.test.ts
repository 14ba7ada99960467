import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anchors, routePatterns } from '../../shared/paths.ts';
import { desktop, eventually, phone, serveSite } from './serve-site.ts';

const site = serveSite();

const FAILED = 'Image failed to load';
/** Files of the hero's picture and of one card's, in any width and format. */
const heroFiles = /\/assets\/[^/]*\/?hero-(home|about)[^/]*\.(avif|webp|jpe?g)$/;
const cardFiles = /process-automation-card[^/]*\.(avif|webp|jpe?g)$/;

const abort = (files: RegExp) => (page: Page) => page.route(files, (route) => route.abort());
const readStates = (page: Page, within: string) =>
  page
    .locator(`${within} picture`)
    .evaluateAll((pictures) => pictures.map((picture) => (picture as HTMLElement).dataset['state']));

/** Scrolls every picture into view for a frame: lazy ones are fetched then. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const picture of document.querySelectorAll('main picture')) {
      picture.scrollIntoView({ behavior: 'instant', block: 'center' });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
}

describe.each([
  ['1280 pixels wide', desktop],
  ['on a phone', phone],
])('the pictures of a page, %s', (_screen, options) => {
  test.each([routePatterns.home, routePatterns.about, routePatterns.videoTest])(
    'of %s all load',
    async (path) => {
      const { page, reportedErrors } = await site.visit(path, options);
      await scrollThrough(page);

      await eventually(async () => new Set(await readStates(page, 'main')))
        .toEqual(new Set(['loaded']));
      expect(await page.getByText(FAILED).count()).toBe(0);
      expect(reportedErrors).toEqual([]);
    },
  );

  test('are the placeholder where one fails, and only there', async () => {
    const { page } = await site.visit(routePatterns.home, {
      ...options,
      prepare: abort(cardFiles),
    });
    const cards = `#${anchors.solutions}`;
    await scrollThrough(page);

    await page.locator(cards).getByText(FAILED, { exact: true }).waitFor();
    await eventually(() => readStates(page, cards)).toEqual(Array(7).fill('loaded'));
    expect(await page.getByText(FAILED).count()).toBe(1);
    // It only decorates.
    expect(await page.getByText(FAILED).getAttribute('aria-hidden')).toBe('true');
    // The card still leads on.
    await page.locator(`${cards} li`).nth(1).click({ position: { x: 20, y: 20 } });
    await page.waitForURL('**/solutions/process-automation');
  });

  test('are the placeholder for the hero as well, in sight and not behind the words', async () => {
    const { page } = await site.visit(routePatterns.home, {
      ...options,
      prepare: abort(heroFiles),
    });
    const placeholder = page.getByText(FAILED, { exact: true });
    await placeholder.waitFor();

    expect(await page.locator('h1').isVisible()).toBe(true);
    const words = await placeholder.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      const covering = [...document.querySelectorAll('main h1, main h1 ~ *')].filter((other) => {
        const box = other.getBoundingClientRect();

        return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
      });

      return { isOnScreen: bottom > 0 && top < innerHeight, covering: covering.length };
    });
    expect(words).toEqual({ isOnScreen: true, covering: 0 });
  });
});

test('the placeholder of a picture that says something has its words for who can’t see it, and fits a narrow screen', async () => {
  const { page } = await site.visit(routePatterns.contact, {
    viewport: { width: 320, height: 640 },
    prepare: abort(/contact-side/),
  });
  await scrollThrough(page);

  await page.getByRole('img', { name: /^Image failed to load: Cream, green, / }).waitFor();
  expect(await page.getByText(FAILED, { exact: true }).isVisible()).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
});

test('a picture is loading until its file is here, then loaded', async () => {
  const waiting: Route[] = [];
  const { page } = await site.visit(routePatterns.home, {
    prepare: (opened) =>
      opened.route(cardFiles, (route) => {
        waiting.push(route);
      }),
  });
  const card = page.locator(`#${anchors.solutions} li`).nth(1).locator('picture');
  await card.scrollIntoViewIfNeeded();
  await eventually(() => waiting.length).toBeGreaterThan(0);
  expect(await card.getAttribute('data-state')).toBe('loading');
  for (const route of waiting) await route.continue();

  await eventually(() => card.getAttribute('data-state')).toBe('loaded');
});

test('a picture that fails after hydration gets the placeholder too', async () => {
  const waiting: Route[] = [];
  const { page } = await site.visit(routePatterns.home, {
    prepare: (opened) =>
      opened.route(cardFiles, (route) => {
        waiting.push(route);
      }),
  });
  const card = page.locator(`#${anchors.solutions} li`).nth(1);
  await card.scrollIntoViewIfNeeded();
  await eventually(() => waiting.length).toBeGreaterThan(0);
  expect(await card.getByText(FAILED).count()).toBe(0);
  for (const route of waiting) await route.abort();

  await card.getByText(FAILED, { exact: true }).waitFor();
});
