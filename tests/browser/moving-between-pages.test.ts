import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { anchors } from '../../shared/paths.ts';
import { awaitFrames, eventually, moving, readScroll, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);
const visit = site.shareTab();

const findFooterLink = (page: Page, path: string) =>
  page.getByRole('contentinfo').locator(`a[href="${path}"]`);
const findHeading = (page: Page, text: string) => page.locator('h1', { hasText: text });
const scrollTo = async (page: Page, top: number) => {
  await page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
  await eventually(() => readScroll(page)).toBe(top);
};
/** Returns how many pixels a section is from where a link should scroll it: below the header, with its margin. */
const readDistance = (page: Page, selector: string) =>
  page.locator(selector).evaluate((part) => {
    const header = document.querySelector('header')?.getBoundingClientRect().bottom ?? NaN;
    const margin = parseFloat(getComputedStyle(part).scrollMarginTop);

    return Math.abs(part.getBoundingClientRect().top - header - margin);
  });

describe('following a link', () => {
  test('loads the page at its top, with its title and nothing focused', async () => {
    const { page, reportedErrors } = await visit('/terms-of-service');
    await findFooterLink(page, '/about').click();
    await page.waitForURL('**/about');

    await findHeading(page, 'We began where the busywork was').waitFor();
    expect(await page.title()).toBe('About Us | Praline');
    expect(await readScroll(page)).toBe(0);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    expect(reportedErrors).toEqual([]);
  });

  test('to a section of another page shows that section, below the header', async () => {
    const { page } = await visit('/terms-of-service');
    await findFooterLink(page, `/about#${anchors.corePrinciples}`).click();
    await page.waitForURL(`**/about#${anchors.corePrinciples}`);

    await eventually(() => readDistance(page, `#${anchors.corePrinciples}`)).toBeLessThan(2);
  });

  test.each([
    ['fades into the next page', 'no-preference', 'true'],
    ['replaces the page without fading if the visitor prefers reduced motion', 'reduce', 'false'],
  ] as const)('%s', async (_how, reducedMotion, expected) => {
    const { page } = await site.visit('/terms-of-service', { reducedMotion });
    await page.addInitScript(() => {
      addEventListener('pagereveal', ({ viewTransition }) => {
        document.documentElement.dataset['fades'] = String(viewTransition !== null);
      });
    });
    await findFooterLink(page, '/privacy-policy').click();
    await findHeading(page, 'Privacy Policy').waitFor();

    await eventually(() => page.locator('html').getAttribute('data-fades')).toBe(expected);
  });
});

describe('going back', () => {
  test('and forward shows each page at its last scroll position before hydration', async () => {
    const { page } = await site.visit('/terms-of-service', { staysUnhydrated: true });
    await scrollTo(page, 900);
    await findFooterLink(page, '/privacy-policy').evaluate((link) => (link as HTMLElement).click());
    await findHeading(page, 'Privacy Policy').waitFor();
    await scrollTo(page, 400);

    await page.goBack();
    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
    await page.goForward();
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(400);
  });

  test('after following links in the table of contents returns to each earlier position', async () => {
    const { page } = await site.visit('/terms-of-service', { reducedMotion: 'reduce' });
    await scrollTo(page, 100);
    // The browser also fires an event when a scroll ends.
    await awaitFrames(page);
    const links = page.locator('main nav a[href^="#"]');
    const [, , section = '', next = ''] = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
    for (const target of [section, next]) {
      await page.locator(`main nav a[href="${target}"]`).first().evaluate((link) => (link as HTMLElement).click());
      await eventually(() => readDistance(page, target)).toBeLessThan(2);
      await awaitFrames(page);
    }

    await page.goBack();
    await eventually(() => readDistance(page, section)).toBeLessThan(2);
    await page.goBack();
    await eventually(() => readScroll(page)).toBe(100);
  });
});

test('the skip link skips the header', async () => {
  const { page } = await visit('/terms-of-service');
  await page.keyboard.press('Tab');
  const skipLink = page.locator('a:focus', { hasText: 'Skip to content' });
  expect(await skipLink.isVisible()).toBe(true);
  await page.keyboard.press('Enter');
  await page.locator('main:focus').waitFor();
});
