import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { articles, SITE_NAME } from '../support/site-content.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();

const [newest] = articles.map((article) => ({ ...article, path: pathTo.article(article.slug) }));
if (!newest) throw new Error('These tests need an article.');

const visitWithoutScripts = site.shareTab({ javaScriptEnabled: false });

/** Returns the bar's width as a fraction of the viewport width. */
const readProgress = (page: Page) =>
  page.locator('article > [aria-hidden]').evaluate((bar) => bar.getBoundingClientRect().width / innerWidth);
const scrollTo = (page: Page, top: number) =>
  page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
const findContents = (page: Page) => page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
const findSections = (page: Page) => page.locator('article h2[id]:not(nav h2, section h2)');

test('an article shows its details, links to each section and to an assessment, and is complete without JavaScript', async () => {
  const { title, excerpt, author, readMinutes, pictureAlt } = newest;
  const { page } = await visitWithoutScripts(newest.path);
  const text = await page.locator('article').innerText();

  expect(text).toContain('Back to Insights');
  for (const part of [title, excerpt, author, `${readMinutes} min read`]) expect(text).toContain(part);
  expect(await page.locator('article picture img').getAttribute('alt')).toBe(pictureAlt);
  // The full text has about 200 words per minute of reading time.
  expect(text.split(/\s+/).length).toBeGreaterThan(readMinutes * 187);
  expect(await page.getByRole('link', { name: 'Get Your Free Assessment' }).getAttribute('href')).toBe(
    routePatterns.contact,
  );

  const links = await findContents(page).evaluateAll((elements) =>
    elements.map((link) => [link.getAttribute('href'), (link as HTMLElement).innerText]),
  );
  const sections = await findSections(page).evaluateAll((elements) =>
    elements.map((heading) => [`#${heading.id}`, (heading as HTMLElement).innerText]),
  );
  expect(links).toEqual(sections);
  expect(sections.length).toBeGreaterThan(3);
});

test('the reading progress starts at zero, grows while the visitor scrolls, and is complete at the end of the text', async () => {
  const { page } = await site.visit(newest.path);
  await eventually(() => readProgress(page)).toBe(0);
  const end = await page
    .locator('article footer')
    .evaluate((element) => element.getBoundingClientRect().top + scrollY);
  await scrollTo(page, end / 2);
  await eventually(() => readProgress(page)).toBeGreaterThan(0.3);
  expect(await readProgress(page)).toBeLessThan(0.7);
  await scrollTo(page, end - 600);

  await eventually(() => readProgress(page)).toBe(1);
  const bar = await page.locator('article > [aria-hidden]').boundingBox();
  const header = await page.getByRole('banner').boundingBox();
  expect(Math.abs((bar?.y ?? NaN) - (header?.height ?? NaN))).toBeLessThan(3);
});

test('share links contain the public URL and the title, and say whether they open a new tab', async () => {
  const { page } = await visitWithoutScripts(newest.path);
  const links = page.getByRole('region', { name: 'Share this article' }).getByRole('link');
  const url = encodeURIComponent(site.origin + newest.path);
  const title = encodeURIComponent(newest.title);

  const shown = await links.evaluateAll((elements) =>
    elements.map((link) => [link.textContent, ...['href', 'target', 'rel'].map((name) => link.getAttribute(name))]),
  );
  const newTab = ['_blank', 'noopener noreferrer'];
  expect(shown).toEqual([
    ['LinkedIn (opens in a new tab)', `https://www.linkedin.com/sharing/share-offsite/?url=${url}`, ...newTab],
    ['X (opens in a new tab)', `https://x.com/intent/post?url=${url}&text=${title}`, ...newTab],
    ['Email', `mailto:?subject=${title}&body=${url}`, null, null],
  ]);
  expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
});

test('a table wider than the screen can be scrolled with the keyboard, even without JavaScript', async () => {
  const { page } = await site.visit(pathTo.article('manufacturing-case-study'), {
    viewport: { width: 320, height: 640 },
    javaScriptEnabled: false,
  });
  const region = page.getByRole('region', { name: /^Phase/ });
  await region.focus();
  await page.keyboard.press('ArrowRight');

  await eventually(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
  expect(await page.locator('article th:not([scope=col])').count()).toBe(0);
});

test('a printed article includes its text and source, but no navigation or buttons', async () => {
  const { page } = await site.visit(newest.path);
  await page.emulateMedia({ media: 'print' });
  const isShown = (selector: string) => page.locator(selector).first().isVisible();

  for (const selector of ['article h1', 'article h2[id]:not(nav h2)', 'article table', 'article picture']) {
    expect([selector, await isShown(selector)]).toEqual([selector, true]);
  }
  for (const hidden of [
    page.locator('body > #root > header'),
    page.getByRole('contentinfo'),
    page.getByRole('navigation'),
    page.getByRole('progressbar'),
    page.getByRole('link', { name: 'Back to Insights' }),
    page.getByRole('region', { name: 'Share this article' }),
    page.getByRole('link', { name: 'Get Your Free Assessment' }),
  ]) {
    expect(await hidden.filter({ visible: true }).count()).toBe(0);
  }
  const source = page.getByText(`${SITE_NAME}, November 26, 2026. ${site.origin}${newest.path}`);
  expect(await source.isVisible()).toBe(true);
  await page.emulateMedia({ media: 'screen' });
  expect(await source.isVisible()).toBe(false);
});
