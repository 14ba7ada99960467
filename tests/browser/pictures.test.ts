import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { anchors, routePatterns } from '../../shared/paths.ts';
import { desktop, eventually, phone, serveSite } from './serve-site.ts';

const site = serveSite();

const FAILED = 'Image failed to load';

/** Returns a pattern for the second solution card's picture files. Their names don't contain the solution's. */
async function matchCardFiles(): Promise<RegExp> {
  const document = await fetch(site.origin).then((response) => response.text());
  const [, , card = ''] = document.split(`id="${anchors.solutions}"`)[1]?.split('<li') ?? [];

  return new RegExp([...card.matchAll(/picture\.[\w-]+/g)].join('|'));
}

const readStates = (page: Page, within: string) =>
  page
    .locator(`${within} picture`)
    .evaluateAll((pictures) => pictures.map((picture) => (picture as HTMLElement).dataset['state']));

/** Scrolls every picture into view for a frame, so that lazy pictures load. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const picture of document.querySelectorAll('main picture')) {
      picture.scrollIntoView({ behavior: 'instant', block: 'center' });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
}

test.each([
  [routePatterns.home, desktop],
  [routePatterns.about, phone],
  [routePatterns.videoTest, desktop],
])('all pictures of %s load', async (path, options) => {
  const { page, reportedErrors } = await site.visit(path, options);
  await scrollThrough(page);

  await eventually(async () => new Set(await readStates(page, 'main')))
    .toEqual(new Set(['loaded']));
  expect(await page.getByText(FAILED).count()).toBe(0);
  expect(reportedErrors).toEqual([]);
});

test('a picture is marked as loading until its file arrives or fails to load, and only a failed picture is replaced by the placeholder', async () => {
  const waiting: Route[] = [];
  const cardFiles = await matchCardFiles();
  const { page } = await site.visit(routePatterns.home, {
    ...phone,
    prepare: (opened) =>
      opened.route(cardFiles, (route) => {
        waiting.push(route);
      }),
  });
  const cards = `#${anchors.solutions}`;
  const card = page.locator(`${cards} li`).nth(1);
  await card.scrollIntoViewIfNeeded();
  await eventually(() => waiting.length).toBeGreaterThan(0);
  expect(await card.locator('picture').getAttribute('data-state')).toBe('loading');
  expect(await card.getByText(FAILED).count()).toBe(0);
  for (const route of waiting) await route.abort();

  await page.locator(cards).getByText(FAILED, { exact: true }).waitFor();
  await scrollThrough(page);
  await eventually(() => readStates(page, cards)).toEqual(Array(7).fill('loaded'));
  expect(await page.getByText(FAILED).count()).toBe(1);
  // The picture is purely decorative.
  expect(await card.getByText(FAILED).getAttribute('aria-hidden')).toBe('true');
  // The card is still a link.
  await card.click({ position: { x: 20, y: 20 } });
  await page.waitForURL('**/solutions/process-automation');
});
