import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { solutionPages } from '../../shared/content/solution-pages/solution-pages.ts';
import { solutions } from '../../shared/content/solutions.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { articles, pages, SITE_NAME } from '../support/site-content.ts';
import { findViolations } from './find-violations.ts';
import { desktop, enlargeText, phone, serveSite } from './serve-site.ts';

const site = serveSite();

const headings: Readonly<Record<string, string>> = {
  [routePatterns.home]: 'We handle the non-revenue work so you can focus on revenue',
  [routePatterns.insights]: 'Insights',
  [routePatterns.about]: 'We began where the busywork was',
  [routePatterns.contact]: contactMessages.heading,
  [routePatterns.privacyPolicy]: 'Privacy Policy',
  [routePatterns.termsOfService]: 'Terms of Service',
  [routePatterns.videoTest]: 'Background test',
  ...Object.fromEntries([
    ...solutions.map(({ slug }) => [pathTo.solution(slug), solutionPages[slug].headline] as const),
    ...articles.map(({ slug, title }) => [pathTo.article(slug), title] as const),
  ]),
};

/** The only pages whose main content needs no link to the contact page. */
const pagesWithoutContactLink: readonly string[] = [
  routePatterns.contact,
  routePatterns.privacyPolicy,
  routePatterns.termsOfService,
  routePatterns.videoTest,
];

const rows = [
  ...pages.map(({ path, meta }) => ({
    path,
    status: 200,
    heading: headings[path],
    title: `${meta.title} | ${SITE_NAME}`,
  })),
  {
    path: '/nope',
    status: 404,
    heading: 'This one has rolled away',
    title: `Page not found | ${SITE_NAME}`,
  },
];

async function checkWords(page: Page, { path, heading, title }: (typeof rows)[number]) {
  expect(heading).toBeDefined();
  expect(await page.title()).toBe(title);
  expect(await page.locator('h1').innerText()).toBe(heading);
  expect(await page.locator('h1').isVisible()).toBe(true);
  const contactLink = page.locator('main a[href="/contact"]:visible');
  if (!pagesWithoutContactLink.includes(path)) {
    expect(await contactLink.count()).toBeGreaterThan(0);
  }
  for (const role of ['banner', 'contentinfo'] as const) {
    expect(await page.getByRole(role).isVisible()).toBe(true);
  }
}

describe.each(rows)('$path', (row) => {
  test.each([
    ['1280 pixels wide', desktop],
    ['on a phone 390 pixels wide', phone],
  ])('shows its words, reports no error and follows the accessibility rules, %s', async (_width, options) => {
    const { page, status, reportedErrors } = await site.visit(row.path, options);
    await checkWords(page, row);

    expect(status).toBe(row.status);
    // The document itself, when it is the not-found page.
    expect(reportedErrors.filter((text) => row.status !== 404 || !text.includes('404'))).toEqual([]);
    expect(await findViolations(page)).toEqual([]);
  });

  test('shows its words without JavaScript, and fits 1280, 390 and 320 pixels, and large text', async () => {
    const { page, status } = await site.visit(row.path, { javaScriptEnabled: false });
    const readOverflow = () =>
      page.locator('html').evaluate((element) => element.scrollWidth - element.clientWidth);
    expect(status).toBe(row.status);

    for (const width of [1280, 390, 320]) {
      await page.setViewportSize({ width, height: 700 });
      await checkWords(page, row);
      expect([width, await readOverflow()]).toEqual([width, 0]);
    }

    await enlargeText(page);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 700 });
      await checkWords(page, row);
      expect(await readOverflow()).toBe(0);
    }
  });
});

test('the table names every page', () => {
  expect(rows.map(({ path }) => path)).toEqual(expect.arrayContaining(Object.keys(headings)));
  expect(rows).toHaveLength(Object.keys(headings).length + 1);
});
