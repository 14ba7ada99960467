import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { siteFilePaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { articles, SITE_NAME } from '../support/site-content.ts';
import { holdCopies } from './hold-copies.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();

const [newest, second, third] = articles.map((article) => ({ ...article, path: pathTo.article(article.slug) }));
if (!newest || !second || !third) throw new Error('These tests need three articles.');

const narrow = { viewport: { width: 320, height: 640 } } as const;

const visitShared = site.shareTab();
const visitNarrow = site.shareTab(narrow);
const visitWithoutScripts = site.shareTab({ javaScriptEnabled: false });

const findNext = (page: Page) => page.getByRole('link', { name: /^Next article/ });
/** How much of the width of the screen the bar takes. */
const readProgress = (page: Page) =>
  page.locator('article > [aria-hidden]').evaluate((bar) => bar.getBoundingClientRect().width / innerWidth);
const scrollTo = (page: Page, top: number) =>
  page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
const findContents = (page: Page) => page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
const findSections = (page: Page) => page.locator('article h2[id]:not(nav h2, section h2)');

describe.each(articles)('$slug', ({ slug, title, excerpt, author, readMinutes, pictureAlt }) => {
  test('begins with what it is, has contents that name and lead to each of its sections, ends with the way to an assessment, and has its whole text without JavaScript', async () => {
    const { page } = await visitWithoutScripts(pathTo.article(slug));
    const text = await page.locator('article').innerText();

    expect(text).toContain(`Back to Insights`);
    for (const part of [title, excerpt, author, `${readMinutes} min read`]) expect(text).toContain(part);
    expect(await page.locator('article picture img').getAttribute('alt')).toBe(pictureAlt);
    // 200 words a minute at the least: nothing is left for scripts to load.
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
});

test('a link of the contents leads to its section', async () => {
  const { page } = await visitShared(newest.path);
  await findContents(page).last().click();

  await eventually(async () => {
    const box = await findSections(page).last().boundingBox();

    return box !== null && box.y > 0 && box.y < 800;
  }).toBe(true);
});

test('the links from each to the next lead through all of them, and those to the previous one back', async () => {
  const { page } = await visitShared(newest.path);
  const findPrevious = page.getByRole('link', { name: /^Previous article/ });
  expect(await findPrevious.count()).toBe(0);
  for (const [index, { title, slug }] of articles.slice(1).entries()) {
    await findNext(page).click();
    await page.waitForURL(`**${pathTo.article(slug)}`);
    await page.locator('h1', { hasText: title }).waitFor();
    expect(await findPrevious.getAttribute('href')).toBe(pathTo.article(articles[index]?.slug ?? ''));
  }

  expect(await findNext(page).count()).toBe(0);
});

/** Pixels from the top of the first or last sign of a line to its foot: the last run of columns with ink. */
function measureLastSign(columns: readonly number[]): number {
  const end = columns.findLastIndex((height) => height > 0);
  const start = columns.findLastIndex((height, x) => x < end && height === 0) + 1;

  return Math.max(...columns.slice(start, end + 1));
}

/** Heights of the signs that begin and end the lines of the byline, as they are drawn; in pixels. */
async function readEndsOfLines(page: Page): Promise<number[]> {
  const byline = page.locator('article header p').last();
  const lineHeight = await byline.evaluate((element) => parseFloat(getComputedStyle(element).lineHeight));
  const picture = sharp(await byline.screenshot()).greyscale().raw();
  const { data, info } = await picture.toBuffer({ resolveWithObject: true });
  const measureColumns = (top: number) =>
    Array.from({ length: info.width }, (_column, x) => {
      const rows = Array.from({ length: lineHeight }, (_row, y) => data[(top + y) * info.width + x] ?? 255);
      const isInk = (value: number) => value < 180;

      return rows.findLastIndex(isInk) - rows.findIndex(isInk) + (rows.some(isInk) ? 1 : 0);
    });
  const lines = Array.from({ length: info.height / lineHeight }, (_line, index) => measureColumns(index * lineHeight));

  return lines.flatMap((columns) => [columns.toReversed(), columns]).map(measureLastSign);
}

describe('author, day and reading time', () => {
  test.each([1440, 768, 390, 320])('have dots between them, none at an end of a line, %i pixels wide', async (width) => {
    const { page } = await visitWithoutScripts(third.path);
    await page.setViewportSize({ width, height: 800 });
    const ends = await readEndsOfLines(page);

    expect(ends.length).toBe(width < 400 ? 4 : 2);
    // A dot is two pixels high, a letter eight at the least.
    expect(Math.min(...ends)).toBeGreaterThan(5);
  });

  test('are read without the dots', async () => {
    const { page } = await visitWithoutScripts(third.path);
    const byline = page.locator('article header p').last();
    const read = await byline.ariaSnapshot();

    for (const part of [third.author, `${third.readMinutes} min read`]) expect(read).toContain(part);
    expect(read).not.toContain('·');
  });
});

describe('the reading progress', () => {
  test('begins at nothing, moves with the text and is full at its end', async () => {
    const { page } = await visitShared(newest.path);
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
});

describe('sharing', () => {
  test('leads to the services with the public address and the title, and names those that open a tab', async () => {
    const { page } = await visitWithoutScripts(newest.path);
    const links = page.getByRole('region', { name: 'Share this article' }).getByRole('link');
    const url = encodeURIComponent(site.origin + newest.path);
    const title = encodeURIComponent(newest.title);

    expect(
      await links.evaluateAll((elements) =>
        elements.map((link) => [
          link.textContent,
          link.getAttribute('href'),
          link.getAttribute('target'),
          link.getAttribute('rel'),
        ]),
      ),
    ).toEqual([
      [
        'LinkedIn (opens in a new tab)',
        `https://www.linkedin.com/sharing/share-offsite/?url=${url}`,
        '_blank',
        'noopener noreferrer',
      ],
      [
        'X (opens in a new tab)',
        `https://x.com/intent/post?url=${url}&text=${title}`,
        '_blank',
        'noopener noreferrer',
      ],
      ['Email', `mailto:?subject=${title}&body=${url}`, null, null],
    ]);
    expect(await page.getByRole('button', { name: 'Copy link' }).count()).toBe(0);
  });

  test('copies the address and confirms it', async () => {
    const { page } = await site.visit(newest.path, {
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    await page.getByRole('button', { name: 'Copy link' }).click();

    await page.locator('main').getByRole('status').getByText('Link copied.').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
      site.origin + newest.path,
    );
  });

  test('reports each time when the address could not be copied', async () => {
    const { page } = await visitShared(newest.path);
    const refuse = await holdCopies(page);
    const button = page.getByRole('button', { name: 'Copy link' });
    const status = page.getByRole('listitem').filter({ has: button }).getByRole('status');
    for (let press = 1; press <= 2; press += 1) {
      await button.click();
      await eventually(() => status.innerText()).toBe('');
      await refuse();
      await status.getByText('The link could not be copied.').waitFor();
    }
  });
});

describe('a table', () => {
  test('can be scrolled by keyboard where it is wider than the screen', async () => {
    const path = pathTo.article('manufacturing-case-study');
    const { page } = await visitNarrow(path);
    const region = page.getByRole('region', { name: /^Phase/ });
    await region.focus();
    await page.keyboard.press('ArrowRight');
    await eventually(() => region.evaluate((element) => element.scrollLeft)).toBeGreaterThan(0);
    expect(await page.locator('article th:not([scope=col])').count()).toBe(0);
  });

  test('can be reached without JavaScript as well', async () => {
    const { page } = await site.visit(pathTo.article('manufacturing-case-study'), {
      ...narrow,
      javaScriptEnabled: false,
    });

    expect(await page.locator('article [role=region][tabindex="0"]').count()).toBeGreaterThan(0);
  });
});

test('titles of examples and lists stand one level below their section, and not in the contents', async () => {
  const { page } = await visitWithoutScripts(pathTo.article('legacy-system-modernization-guide'));

  expect(
    await page.getByRole('heading', { level: 4, name: /one morning of the parallel run/ }).count(),
  ).toBe(1);
  expect(
    await page.getByRole('heading', { level: 3, name: 'Before you sign for a replacement' }).count(),
  ).toBe(1);
  expect(await page.getByRole('link', { name: 'Before you sign for a replacement' }).count()).toBe(0);
});

test('on paper there is the text with its source, and nothing to press', async () => {
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

test('the feed is XML as RFC 4287 requires it', async () => {
  const { page } = await site.visit('/about');
  const text = await (await fetch(site.origin + siteFilePaths.feed)).text();
  // The site's own pages parse nothing: their content policy forbids it.
  await page.goto('about:blank');
  const feed = await page.evaluate((written) => {
    const xml = new DOMParser().parseFromString(written, 'application/xml');
    const list = (parent: Element) =>
      [...parent.children].map((child) => [child.localName, child.textContent] as const);

    return {
      errors: xml.querySelectorAll('parsererror').length,
      root: [xml.documentElement.localName, xml.documentElement.namespaceURI],
      children: list(xml.documentElement).filter(([name]) => name !== 'entry'),
      entries: [...xml.querySelectorAll('entry')].map(list),
      links: [...xml.querySelectorAll('feed > link')].map((link) => link.getAttribute('rel')),
    };
  }, text);
  const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T00:00:00Z$/);

  expect(feed.errors).toBe(0);
  expect(feed.root).toEqual(['feed', 'http://www.w3.org/2005/Atom']);
  expect(feed.links).toEqual(['self', 'alternate']);
  expect(feed.children).toEqual(
    expect.arrayContaining([
      ['id', site.origin + siteFilePaths.feed],
      ['title', `Insights | ${SITE_NAME}`],
      ['updated', time],
    ]),
  );
  expect(feed.entries).toHaveLength(articles.length);
  articles.forEach(({ slug, title, excerpt, author }, place) => {
    expect(feed.entries[place]).toEqual([
      ['id', site.origin + pathTo.article(slug)],
      ['title', title],
      ['link', ''],
      ['published', time],
      ['updated', time],
      ['author', author],
      ['category', ''],
      ['summary', excerpt],
    ]);
  });
});

test('the scripts of an article’s page name no article', async () => {
  const scripts: Promise<string>[] = [];
  await site.visit(second.path, {
    prepare: async (page) => {
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') scripts.push(response.text());
      });
    },
  });
  const code = (await Promise.all(scripts)).join('\n');

  expect(scripts.length).toBeGreaterThan(2);
  for (const { slug, title, excerpt } of articles) {
    expect(code).not.toContain(slug);
    expect(code).not.toContain(title);
    expect(code).not.toContain(excerpt);
  }
});
