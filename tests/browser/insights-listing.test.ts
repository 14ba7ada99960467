import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { insightsQuery, pathTo, routePatterns } from '../../shared/paths.ts';
import { articles } from '../support/site-content.ts';
import { findViolations } from './find-violations.ts';
import { holdRequests } from './hold-requests.ts';
import { findCards, findCount, findLock, findSearch, serveInsights } from './insights-page.ts';
import { eventually, phone, readScroll } from './serve-site.ts';

const { site, visitUnlocked, visitStillUnlocked } = serveInsights();

test('the listing shows three featured and six recent articles, newest first, with links', async () => {
  const { page } = await visitStillUnlocked();
  const listTitles = (group: string) =>
    page.getByRole('region', { name: group }).getByRole('heading', { level: 3 }).allInnerTexts();
  const titlesOf = (isFeatured: boolean) =>
    articles.filter((article) => article.isFeatured === isFeatured).map(({ title }) => title);

  expect(await listTitles('Featured')).toEqual(titlesOf(true));
  expect(await listTitles('Recent')).toEqual(titlesOf(false));
  expect(titlesOf(true)).toHaveLength(3);
  await page.getByRole('link', { name: articles[0]?.title ?? '' }).click();
  await page.waitForURL(`**${pathTo.article(articles[0]?.slug ?? '')}`);
  await page.locator('h1', { hasText: articles[0]?.title ?? '' }).waitFor();
});

test('on a phone, going back restores the scroll position, or shows the gate if access has expired', async () => {
  const { page } = await visitUnlocked(routePatterns.insights, phone);
  const link = findCards(page).last().getByRole('link');
  await link.scrollIntoViewIfNeeded();
  const leftAt = await readScroll(page);
  await link.click();
  await page.waitForURL(`**${pathTo.article('')}*`);
  await page.goBack();
  await findLock(page).waitFor();
  await eventually(() => readScroll(page)).toBe(leftAt);

  await page.goForward();
  await page.context().clearCookies();
  await page.goBack();
  await page.getByRole('heading', { name: 'Premium Insights' }).waitFor();
  expect(await findCards(page).count()).toBe(0);
});

describe('search and category', () => {
  const readQuery = (page: Page) => new URL(page.url()).search;

  test('filter while the visitor types, show the count, and are part of the URL', async () => {
    const { page, reportedErrors } = await visitStillUnlocked();
    expect(await findCount(page).innerText()).toBe('9 articles');
    await findSearch(page).pressSequentially('hipaa');

    await eventually(() => findCount(page).innerText()).toBe('1 article of 9');
    expect(await findCards(page).count()).toBe(1);
    await eventually(() => readQuery(page)).toBe('?q=hipaa');
    expect(await findSearch(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await findViolations(page)).toEqual([]);

    await page.reload();
    await findLock(page).waitFor();
    expect(await findSearch(page).inputValue()).toBe('hipaa');
    expect(await findCards(page).count()).toBe(1);
    expect(reportedErrors).toEqual([]);
  });

  test('show a message if nothing matches, and a reset button that focuses the search field', async () => {
    const { page } = await visitStillUnlocked();
    await page.getByLabel('Category').focus();
    await page.getByLabel('Category').selectOption('Manufacturing');
    await page.getByRole('heading', { name: 'No articles in Manufacturing yet' }).waitFor();
    expect(await findCount(page).innerText()).toBe('0 articles of 9');
    await findSearch(page).fill('nothing has this');
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show all articles' }).press('Enter');

    await eventually(() => findCount(page).innerText()).toBe('9 articles');
    expect(await findSearch(page).evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await findSearch(page).inputValue()).toBe('');
    expect(await page.getByLabel('Category').inputValue()).toBe('');
    expect(readQuery(page)).toBe('');
  });

  test('apply a category chosen before hydration', async () => {
    const { page } = await visitStillUnlocked();
    const releaseScripts = await holdRequests(page, '**/assets/*.js');
    await page.goto(`${site.origin}/insights?${insightsQuery.unlocked}=1`, { waitUntil: 'commit' });
    await page.getByLabel('Category').selectOption('Security');
    releaseScripts();

    await eventually(() => readQuery(page)).toBe('?category=Security');
    await eventually(() => findCount(page).innerText()).toBe('1 article of 9');
    expect(await page.getByLabel('Category').inputValue()).toBe('Security');
  });
});
