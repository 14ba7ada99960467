import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pathTo } from '../../shared/paths.ts';
import { articles } from '../support/site-content.ts';
import { serveSite } from './serve-site.ts';

const site = serveSite();
const findSimilar = (page: Page) =>
  page.getByRole('list', { name: 'Pages with a similar address' }).getByRole('link');

test('an address without a page offers those with the most similar addresses', async () => {
  const { page, status } = await site.visit('/solution/proces-automation');
  const links = findSimilar(page);

  expect(status).toBe(404);
  expect(await links.count()).toBe(3);
  expect(await links.first().getAttribute('href')).toBe(pathTo.solution('process-automation'));
  await links.first().click();
  await page.locator('h1', { hasText: 'This one has rolled away' }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).pathname).toBe(pathTo.solution('process-automation'));
});

test('an article is among them, by its title', async () => {
  const article = articles.find(({ slug }) => slug === 'ai-roi-measurement');
  const { page } = await site.visit('/insights/roi-measurement');
  const link = findSimilar(page).first();

  expect(await link.getAttribute('href')).toBe(pathTo.article('ai-roi-measurement'));
  expect(await link.innerText()).toBe(article?.title);
});
