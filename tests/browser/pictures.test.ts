import type { Page, Route } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anchors, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { desktop, eventually, phone, serveSite } from './serve-site.ts';

const site = serveSite();

const FAILED = 'Image failed to load';

/** Matches the files of the second solution's card. Their names say nothing. */
async function matchCardFiles(): Promise<RegExp> {
  const document = await fetch(site.origin).then((response) => response.text());
  const [, , card = ''] = document.split(`id="${anchors.solutions}"`)[1]?.split('<li') ?? [];

  return new RegExp([...card.matchAll(/picture\.[\w-]+/g)].join('|'));
}

const abort = (files: RegExp) => (page: Page) => page.route(files, (route) => route.abort());
const readStates = (page: Page, within: string) =>
  page
    .locator(`${within} picture`)
    .evaluateAll((pictures) => pictures.map((picture) => (picture as HTMLElement).dataset['state']));

/** Scrolls every picture into view for a frame, so that lazy ones load. */
async function scrollThrough(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (const picture of document.querySelectorAll('main picture')) {
      picture.scrollIntoView({ behavior: 'instant', block: 'center' });
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }
  });
}

describe('the pictures of a page', () => {
  test.each([
    [routePatterns.home, desktop],
    [routePatterns.about, phone],
    [routePatterns.videoTest, desktop],
  ])('of %s all load', async (path, options) => {
    const { page, reportedErrors } = await site.visit(path, options);
    await scrollThrough(page);

    await eventually(async () => new Set(await readStates(page, 'main')))
      .toEqual(new Set(['loaded']));
    expect(await page.getByText(FAILED).count()).toBe(0);
    expect(reportedErrors).toEqual([]);
  });

  test('are replaced by the placeholder only if they fail', async () => {
    const { page } = await site.visit(routePatterns.home, {
      ...phone,
      prepare: abort(await matchCardFiles()),
    });
    const cards = `#${anchors.solutions}`;
    await scrollThrough(page);

    await page.locator(cards).getByText(FAILED, { exact: true }).waitFor();
    await eventually(() => readStates(page, cards)).toEqual(Array(7).fill('loaded'));
    expect(await page.getByText(FAILED).count()).toBe(1);
    // The picture is only decoration.
    expect(await page.getByText(FAILED).getAttribute('aria-hidden')).toBe('true');
    // The card is still a link.
    await page.locator(`${cards} li`).nth(1).click({ position: { x: 20, y: 20 } });
    await page.waitForURL('**/solutions/process-automation');
  });
});

test('a picture is loading until its file arrives or fails, then it is loaded or replaced by the placeholder', async () => {
  const waiting: Route[] = [];
  const cardFiles = await matchCardFiles();
  const { page } = await site.visit(routePatterns.home, {
    prepare: (opened) =>
      opened.route(cardFiles, (route) => {
        waiting.push(route);
      }),
  });
  const card = page.locator(`#${anchors.solutions} li`).nth(1);
  const picture = card.locator('picture');
  await card.scrollIntoViewIfNeeded();
  await eventually(() => waiting.length).toBeGreaterThan(0);
  expect(await picture.getAttribute('data-state')).toBe('loading');
  for (const route of waiting.splice(0)) await route.continue();
  await eventually(() => picture.getAttribute('data-state')).toBe('loaded');

  await page.reload();
  await waitUntilHydrated(page);
  await card.scrollIntoViewIfNeeded();
  await eventually(() => waiting.length).toBeGreaterThan(0);
  expect(await card.getByText(FAILED).count()).toBe(0);
  for (const route of waiting) await route.abort();
  await card.getByText(FAILED, { exact: true }).waitFor();
});
