import { solutionPages } from '#content/solution-pages';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { articles, pages, SITE_NAME } from '../support/site-content.ts';
import { findViolations } from './find-violations.ts';
import { desktop, enlargeText, eventually, phone, serveSite } from './serve-site.ts';

const site = serveSite();

/** One page per template with its heading, or two if the content decides which parts a page has. */
const headings: Readonly<Record<string, string | undefined>> = {
  [routePatterns.home]: 'We handle the non-revenue work so you can focus on revenue',
  [routePatterns.about]: 'We began where the busywork was',
  [routePatterns.contact]: contactMessages.heading,
  [routePatterns.insights]: 'Insights',
  [routePatterns.termsOfService]: 'Terms of Service',
  ...Object.fromEntries([
    ...['ai-transformation', 'contract-compliance'].map((slug) => [pathTo.solution(slug), solutionPages[slug]?.headline]),
    ...articles
      .filter(({ slug }) => ['ai-roi-measurement', 'manufacturing-case-study'].includes(slug))
      .map(({ slug, title }) => [pathTo.article(slug), title]),
  ]),
};

/** Pages whose main content needs no link to the contact page. */
const pagesWithoutContactLink: readonly string[] = [routePatterns.contact, routePatterns.termsOfService];

const rows = [
  ...pages
    .filter(({ path }) => path in headings)
    .map(({ path, meta }) => ({ path, status: 200, heading: headings[path], title: `${meta.title} | ${SITE_NAME}` })),
  { path: '/nope', status: 404, heading: 'This one has rolled away', title: `Page not found | ${SITE_NAME}` },
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

/**
 * Returns how far the page overflows the screen, which parts are invisible, which headings and sections are wider than
 * their containers, whether a link to the contact page is visible, and the page's height.
 */
function readLayout(page: Page) {
  return page.locator('html').evaluate((html) => {
    const isVisible = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0;
    const parts = ['#root > header', '#root main h1', '#root > footer'];

    return {
      overflow: html.scrollWidth - html.clientWidth,
      hidden: parts.filter((part) => ![...html.querySelectorAll(part)].some(isVisible)),
      // Sections that crop ornaments deliberately hide their overflow.
      cut: [...html.querySelectorAll('h1, h2, h3, main section')]
        .filter((element) => element.scrollWidth > element.clientWidth && getComputedStyle(element).overflowX === 'visible')
        .map(({ textContent }) => textContent),
      hasContactLink: [...html.querySelectorAll('main a[href="/contact"]')].some(isVisible),
      height: html.scrollHeight,
    };
  });
}

/** All pages share these parts. On the narrow screen, they are checked only on the home page. */
const headerAndFooter = ['#root > header', '#root > footer'];

const visitDesktop = site.shareTab({ ...desktop, staysUnhydrated: true });
/** The narrowest screen. The styles are the same up to the width of a common phone. */
const visitPhone = site.shareTab({ ...phone, viewport: { width: 320, height: 640 }, staysUnhydrated: true });
const visitWithoutScripts = site.shareTab({ javaScriptEnabled: false });

describe.each(rows)('$path', (row) => {
  test.each([
    ['1280 pixels wide', visitDesktop, []],
    ['on a 320-pixel-wide phone', visitPhone, row.path === routePatterns.home ? [] : headerAndFooter],
  ])('looks the same before and after hydration, reports no error and is accessible, %s', async (_width, visit, unchecked) => {
    const { page, status, reportedErrors } = await visit(row.path);
    const unhydrated = await readLayout(page);
    await waitUntilHydrated(page);
    await checkWords(page, row);

    expect(status).toBe(row.status);
    // Nothing moves when React hydrates.
    expect(await readLayout(page)).toEqual(unhydrated);
    // The browser reports a 404 status as an error.
    expect(reportedErrors.filter((text) => row.status !== 404 || !text.includes('404'))).toEqual([]);
    expect(await findViolations(page, unchecked)).toEqual([]);
  });
});

test.each(rows)('$path shows its text without JavaScript and fits every width, even with large text', async (row) => {
  const { page, status } = await visitWithoutScripts(row.path);
  expect(status).toBe(row.status);
  await checkWords(page, row);
  const contactLink = pagesWithoutContactLink.includes(row.path) ? {} : { hasContactLink: true };
  const whole = { overflow: 0, hidden: [], cut: [], ...contactLink };

  for (const width of [1280, 390, 320]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await readLayout(page), `${width} pixels`).toMatchObject(whole);
  }

  await enlargeText(page);
  for (const width of [320, 375, 800, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await readLayout(page), `${width} pixels, large text`).toMatchObject(whole);
  }
});

/** Tall enough that the browser renders the whole page. */
const visitUsualPhone = site.shareTab({ ...phone, viewport: { width: 390, height: 6000 } });

test.each([
  ['the end', routePatterns.home, '#root > footer', 5200],
  ['the end', pathTo.solution('ai-transformation'), '#root > footer', 5900],
  ['the first field', routePatterns.contact, 'main form [name=name]', 400],
])('%s of %s is close enough to the top on a 390-pixel-wide phone', async (part, path, selector, most) => {
  const { page } = await visitUsualPhone(path);
  const box = await page.locator(selector).first().boundingBox();
  const end = (box?.y ?? NaN) + (part === 'the end' ? (box?.height ?? NaN) : 0);

  expect(end).toBeLessThanOrEqual(most);
});

test('the browser blocks and reports a script that turns text into markup', async () => {
  const { page, reportedErrors } = await site.visit(routePatterns.home);

  const failure = await page.evaluate(() => {
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>made from text</b>');

      return 'nothing';
    } catch (error) {
      return String(error);
    }
  });

  expect(failure).toContain('TrustedHTML');
  await eventually(() => reportedErrors.join()).toContain('policy: require-trusted-types-for');
});
