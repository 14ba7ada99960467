import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { apiPaths, pathTo, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { articles } from '../support/site-content.ts';
import { holdRequests } from './hold-requests.ts';
import { awaitFrames, eventually, moving, phone, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);
/** For tests that go back to no page before their own, and count no requests. */
const visit = site.shareTab();
const visitWithoutMotion = site.shareTab({ reducedMotion: 'reduce' });

const findHeading = (page: Page, text: string) => page.locator('h1', { hasText: text });
const readScroll = (page: Page) => page.evaluate(() => Math.round(scrollY));
const scrollTo = async (page: Page, top: number) => {
  await page.evaluate((y) => window.scrollTo({ top: y, behavior: 'instant' }), top);
  await eventually(() => readScroll(page)).toBe(top);
};

/** Follows a link without moving to it: neither the page nor the pointer, which would wake React. */
const follow = (page: Page, selector: string) =>
  page.locator(selector).first().evaluate((link) => (link as HTMLElement).click());

describe('to another page', () => {
  test('shows the page where it was left, and forward the other one where that was left', async () => {
    const { page } = await visit('/terms-of-service');
    await scrollTo(page, 900);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(0);
    await scrollTo(page, 400);

    await page.goBack();
    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
    await eventually(() => page.title()).toBe('Terms of Service | Praline');
    await page.goForward();
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(400);
  });

  test('finds a page again that was left before the browser reported its scrolling', async () => {
    const { page } = await visit('/terms-of-service');
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(0);
    await page.evaluate(() => {
      window.scrollTo({ top: 400, behavior: 'instant' });
      history.back();
    });
    await findHeading(page, 'Terms of Service').waitFor();
    await page.goForward();

    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(400);
  });

  test('from another document shows the page where it was left', async () => {
    const { page } = await visit('/terms-of-service');
    await scrollTo(page, 900);
    await page.goto(`${site.origin}/privacy-policy`);
    await page.goBack();

    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
  });

  test('finds a page again that was scrolled while React slept', async () => {
    const { page } = await site.visit('/terms-of-service', { staysAsleep: true });
    await scrollTo(page, 900);
    await waitUntilHydrated(page);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await page.goBack();

    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
  });

  test('whose text has yet to come shows the one before until then, and then that where it was left', async () => {
    const { slug = '', title = '' } = articles[0] ?? {};
    const { page } = await site.visit(pathTo.article(slug));
    await scrollTo(page, 900);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(0);
    const letText = await holdRequests(page, '**/chunks/*.js');
    const asked = page.waitForRequest('**/chunks/*.js');
    await page.evaluate(() => history.back());
    await asked;
    expect(await findHeading(page, 'Privacy Policy').isVisible()).toBe(true);
    letText();

    await findHeading(page, title).waitFor();
    await eventually(() => readScroll(page)).toBe(900);
  });

  test('over two that the router has shown, from another document, shows the page where it was left', async () => {
    const { page } = await visit('/terms-of-service');
    await scrollTo(page, 900);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await page.goto(`${site.origin}/about`);
    // Not at once: the document goes, and with it the answer.
    await page.evaluate(() => void setTimeout(() => history.go(-2)));

    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
  });
});

test('a page that was not scrolled is not shown where an earlier document was left', async () => {
  const { page } = await visit('/privacy-policy');
  await scrollTo(page, 900);
  await page.goto(site.origin);
  await waitUntilHydrated(page);
  await page.getByRole('banner').getByRole('link', { name: 'About' }).first().click();
  await page.waitForURL('**/about');
  await page.goBack();

  await findHeading(page, 'We handle').waitFor();
  await awaitFrames(page);
  expect(await readScroll(page)).toBe(0);
});

describe('after a reload, while React sleeps', () => {
  /** A page reached through the router, loaded anew: the entry before it stays one of the same document. */
  async function reloadSecondPage(open: typeof visit = visitWithoutMotion) {
    const visited = await open('/terms-of-service');
    const { page } = visited;
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await page.reload({ waitUntil: 'networkidle' });

    return visited;
  }
  const hasReact = (page: Page) =>
    page.locator('#root').evaluate((root) => Object.keys(root).some((key) => key.startsWith('__reactContainer')));

  test('back shows the page of the address', async () => {
    const { page, reportedErrors } = await reloadSecondPage();
    expect(await hasReact(page)).toBe(false);
    await page.goBack();
    await findHeading(page, 'Terms of Service').waitFor();
    await waitUntilHydrated(page);

    expect(new URL(page.url()).pathname).toBe('/terms-of-service');
    expect(await findHeading(page, 'Terms of Service').count()).toBe(1);
    expect(reportedErrors).toEqual([]);
  });

  test('back and forward show each page where it was left', async () => {
    const { page } = await visit('/terms-of-service');
    await scrollTo(page, 900);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(0);
    await page.reload({ waitUntil: 'networkidle' });
    await scrollTo(page, 1_200);

    await page.goBack();
    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
    expect(await hasReact(page)).toBe(false);
    // The document that comes back to it is another one.
    await scrollTo(page, 600);
    await page.reload();
    await eventually(() => readScroll(page)).toBe(600);
    await page.goForward();
    await findHeading(page, 'Privacy Policy').waitFor();
    await eventually(() => readScroll(page)).toBe(1_200);
    await page.goBack();
    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(600);
    expect(await hasReact(page)).toBe(false);
  });

  test('back, once React is awake, shows the page where it was left', async () => {
    const { page } = await visit('/terms-of-service');
    await scrollTo(page, 900);
    await follow(page, 'footer a[href="/privacy-policy"]');
    await findHeading(page, 'Privacy Policy').waitFor();
    await page.reload();
    await waitUntilHydrated(page);
    await page.goBack();

    await findHeading(page, 'Terms of Service').waitFor();
    await eventually(() => readScroll(page)).toBe(900);
  });

  test('back while the scripts are coming shows the page of the address too, and hydrates nothing else', async () => {
    const { page, reportedErrors } = await reloadSecondPage((path) => site.visit(path, { reducedMotion: 'reduce' }));
    const releaseScripts = await holdRequests(page, '**/chunks/*.js');
    const releaseDocument = await holdRequests(page, '**/terms-of-service');
    const asked = page.waitForRequest('**/chunks/*.js');
    let pending = 0;
    page.on('request', () => (pending += 1));
    page.on('requestfinished', () => (pending -= 1));
    await page.keyboard.press('Shift');
    await asked;
    const reloaded = page.waitForRequest('**/terms-of-service');
    await page.evaluate(() => history.back());
    await reloaded;
    releaseScripts();
    // All but the document.
    await eventually(() => pending).toBe(1);
    releaseDocument();

    await findHeading(page, 'Terms of Service').waitFor();
    // A chunk that the page asks for only then is given up with it.
    expect(reportedErrors.filter((error) => !/^net::ERR_ABORTED: .*\/chunks\//.test(error))).toEqual([]);
  });

  test('a contents link and the way back load no document', async () => {
    const { page } = await reloadSecondPage();
    await page.locator('html').evaluate((html) => html.classList.add('kept'));
    await follow(page, 'main nav a[href^="#"]');
    await eventually(() => readScroll(page)).toBeGreaterThan(0);
    await page.goBack();
    await eventually(() => readScroll(page)).toBe(0);

    expect(await page.locator('html.kept').count()).toBe(1);
    expect(await hasReact(page)).toBe(false);
  });
});

describe('after a contents link', () => {
  /** Pixels from where a link to a section leads: below the header, with the section's margin. */
  const readDistance = (page: Page, selector: string) =>
    page.locator(selector).evaluate((section) => {
      const header = document.querySelector('header')?.getBoundingClientRect().bottom ?? NaN;
      const margin = parseFloat(getComputedStyle(section).scrollMarginTop);

      return Math.abs(section.getBoundingClientRect().top - header - margin);
    });
  const findContents = (page: Page) =>
    page.locator('main nav a[href^="#"]').evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));

  test.each([
    ['the page landed on', 'no-preference', visit],
    ['the page landed on', 'reduce', visitWithoutMotion],
    ['a page reached through the router', 'no-preference', visit],
    ['a page reached through the router', 'reduce', visitWithoutMotion],
  ] as const)('back leads to where the link was followed: %s, motion: %s', async (reached, _motion, open) => {
    const { page } = await open('/terms-of-service');
    if (reached === 'a page reached through the router') {
      await scrollTo(page, 900);
      await follow(page, 'footer a[href="/privacy-policy"]');
      await findHeading(page, 'Privacy Policy').waitFor();
      await eventually(() => readScroll(page)).toBe(0);
    }
    await scrollTo(page, 100);
    // The end of that movement is told, too.
    await awaitFrames(page);
    const [, , section = '', next = ''] = await findContents(page);
    for (const target of [section, next]) {
      // Chromium would take a glide to its end after the page was scrolled elsewhere.
      const isStill = page.evaluate(() => new Promise((resolve) => addEventListener('scrollend', resolve, { once: true })));
      await follow(page, `main nav a[href="${target}"]`);
      await isStill;
      await eventually(() => readDistance(page, target)).toBeLessThan(2);
    }

    await page.goBack();
    await eventually(() => readDistance(page, section)).toBeLessThan(2);
    await page.goBack();
    await eventually(() => readScroll(page)).toBe(100);
    expect(new URL(page.url()).hash).toBe('');
  });

  test('back leads to the first of two sections whose links were followed before React had shown either', async () => {
    const { page } = await visitWithoutMotion('/terms-of-service');
    const [, , first = '', second = ''] = await findContents(page);
    await page.evaluate((targets) => {
      for (const target of targets) document.querySelector<HTMLElement>(`main nav a[href="${target}"]`)?.click();
    }, [first, second]);
    await eventually(() => readDistance(page, second)).toBeLessThan(2);

    await page.goBack();
    await eventually(() => readDistance(page, first)).toBeLessThan(2);
    await page.goForward();
    await eventually(() => readDistance(page, second)).toBeLessThan(2);
  });

  test('the same link leads to its section again, wherever that was left', async () => {
    // The end of a glide would move the page once more after it was scrolled elsewhere.
    const { page } = await visitWithoutMotion('/terms-of-service');
    const [, , section = ''] = await findContents(page);
    for (const leftAt of [2_000, 50, 1_500]) {
      await follow(page, `main nav a[href="${section}"]`);
      await eventually(() => readDistance(page, section)).toBeLessThan(2);
      await scrollTo(page, leftAt);
      if (leftAt === 2_000) await page.goBack();
    }

    await page.goBack();
    await eventually(() => new URL(page.url()).hash).toBe('');
    await eventually(() => readScroll(page)).toBe(0);
  });
});

describe('to the listing', () => {
  async function visitUnlocked() {
    const visited = await site.visit('/about', phone);
    await visited.page.request.post(site.origin + apiPaths.insightsSession, { data: { password: PASSWORD } });
    await visited.page.goto(site.origin + routePatterns.insights);
    await waitUntilHydrated(visited.page);

    return visited;
  }
  const { slug = '', title = '' } = articles.at(-1) ?? {};
  const cardLink = `main article a[href="${pathTo.article(slug)}"]`;

  test('the card that was followed is where it was, on a phone', async () => {
    const { page } = await visitUnlocked();
    const readTop = async () => Math.round((await page.locator(cardLink).boundingBox())?.y ?? NaN);
    await page.locator(cardLink).scrollIntoViewIfNeeded();
    const leftAt = await readScroll(page);
    const top = await readTop();
    await follow(page, cardLink);
    await findHeading(page, title).waitFor();
    const answered = page.waitForResponse(`**${apiPaths.insightsArticles}`);
    await page.goBack();
    await answered;
    await page.locator(cardLink).waitFor();

    await eventually(() => readScroll(page)).toBe(leftAt);
    expect(await readTop()).toBe(top);
  });

  test('that another tab has locked since shows nothing of it', async () => {
    const { page } = await visitUnlocked();
    await follow(page, cardLink);
    await findHeading(page, title).waitFor();
    const other = await page.context().newPage();
    await other.goto(site.origin + routePatterns.insights);
    await other.getByRole('button', { name: 'Lock Content' }).click();
    await other.getByRole('heading', { name: 'Premium Insights' }).waitFor();
    const release = await holdRequests(page, `**${apiPaths.insightsArticles}`);
    await page.goBack();
    await page.locator('main [inert]').waitFor({ state: 'attached' });
    expect(await page.locator(cardLink).count()).toBe(0);
    release();

    await page.getByRole('heading', { name: 'Premium Insights' }).waitFor();
  });

  test('whose access has ended shows the gate once the server says so', async () => {
    const { page } = await visitUnlocked();
    await follow(page, cardLink);
    await findHeading(page, title).waitFor();
    await page.context().clearCookies();
    await page.goBack();
    await page.getByRole('heading', { name: 'Premium Insights' }).waitFor();
    expect(await page.locator(cardLink).count()).toBe(0);

    await page.goForward();
    await findHeading(page, title).waitFor();
    const release = await holdRequests(page, `**${apiPaths.insightsArticles}`);
    await page.goBack();
    await page.locator('main [inert]').waitFor({ state: 'attached' });
    expect(await page.locator(cardLink).count()).toBe(0);
    release();
  });
});
