import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { isHydrated, launchWholeBrowser, openPage, waitUntilHydrated, waitUntilIdle } from '../support/browser.ts';
import { findMenu, isOpen } from './find-menu.ts';
import { awaitFrames, eventually, moving, phone, readScroll, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);

/** A page without a video. */
const quietPage = routePatterns.termsOfService;

/** Opens a page without triggering hydration, and records the scripts it requests. */
async function visitUnhydrated(path: string, options: Parameters<typeof site.visit>[1] = {}) {
  const scripts: string[] = [];
  const visited = await site.visit(path, {
    ...options,
    staysUnhydrated: true,
    prepare: async (page) => {
      page.on('request', (request) => {
        if (request.resourceType() === 'script') scripts.push(request.url());
      });
      await options.prepare?.(page);
    },
  });
  await visited.page.waitForLoadState('networkidle');

  return { ...visited, scripts };
}

const findFooterLink = (page: Page, path: string) =>
  page.getByRole('contentinfo').locator(`a[href="${path}"]`);

test.each([
  ['a page with a form', routePatterns.contact, {}],
  ['a page with a video on a phone', routePatterns.home, phone],
])('%s is not hydrated without interaction, even when scrolled', async (_what, path, options) => {
  const { page, scripts, reportedErrors } = await visitUnhydrated(path, options);
  await page.mouse.wheel(0, 600);
  await eventually(() => readScroll(page)).toBeGreaterThan(0);
  // Scroll listeners run before the next frame, and may defer their work until the page is idle.
  await awaitFrames(page);
  await waitUntilIdle(page);

  expect(scripts.map((url) => new URL(url).pathname)).toEqual([expect.stringContaining('/start.')]);
  expect(reportedErrors).toEqual([]);
});

describe('a page is hydrated', () => {
  test.each<[string, string, (page: Page) => Promise<unknown>]>([
    ['hovering over a link', quietPage, (page) => findFooterLink(page, '/about').hover()],
    ['a key press', quietPage, (page) => page.keyboard.press('Tab')],
    ['focusing a form field', routePatterns.contact, (page) => page.getByLabel('Full Name').focus()],
    // Like a password manager, this neither touches nor focuses the field.
    ['input in a field', routePatterns.contact, (page) => page.getByLabel('Industry').selectOption('healthcare')],
    [
      'scrolling near the estimate',
      pathTo.solution('ai-transformation'),
      (page) => page.locator('#estimate').scrollIntoViewIfNeeded(),
    ],
  ])('by %s', async (_what, path, act) => {
    const { page, scripts, reportedErrors } = await visitUnhydrated(path);
    const before = scripts.length;
    await act(page);
    await eventually(() => isHydrated(page)).toBe(true);

    expect(before).toBe(1);
    expect(scripts.length).toBeGreaterThan(1);
    expect(reportedErrors).toEqual([]);
  });

  test('if a field was focused before the first script loaded', async () => {
    const { page } = await site.visit(routePatterns.contact, {
      staysUnhydrated: true,
      prepare: (opened) =>
        opened.route('**/start.*.js', async (route) => {
          await opened.getByLabel('Full Name').focus();
          await route.continue();
        }),
    });

    await eventually(() => isHydrated(page)).toBe(true);
  });

  test('and keeps text typed before its scripts loaded', async () => {
    const { page } = await visitUnhydrated(routePatterns.contact, {
      prepare: (opened) =>
        opened.route('**/*.js', async (route) => {
          // Delays the scripts until the test has finished typing.
          if (!route.request().url().includes('/start.')) await opened.locator('html.typed').waitFor({ state: 'attached' });
          await route.continue();
        }),
    });
    await page.getByLabel('Full Name').fill('Ada Example');
    await page.getByLabel('Industry').selectOption('healthcare');
    await page.getByLabel('Message').fill('Two words');
    await page.locator('html').evaluate((html) => html.classList.add('typed'));
    await waitUntilHydrated(page);

    expect(await page.getByLabel('Full Name').inputValue()).toBe('Ada Example');
    expect(await page.getByLabel('Industry').inputValue()).toBe('healthcare');
    expect(await page.getByLabel('Message').inputValue()).toBe('Two words');
  });
});

test('the browser restores pages from memory, hydrated or not, with their menus closed', async () => {
  const browser = await launchWholeBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openPage(browser);
  /** Returns whether `pageshow` reports a restored page. Undefined if the browser discarded the page and reloads it. */
  const goBack = async () => {
    await page.evaluate(() => {
      const { dataset } = document.documentElement;
      dataset['persisted'] = 'waiting';
      addEventListener('pageshow', ({ persisted }) => (dataset['persisted'] = String(persisted)));
    });
    await page.goto(site.origin + quietPage);
    // A restored page has no load event.
    await page.goBack({ waitUntil: 'commit' });
    const isPersisted = () => page.evaluate(() => document.documentElement.dataset['persisted']);
    await eventually(isPersisted).not.toBe('waiting');

    return isPersisted();
  };

  for (const [path, state] of [[routePatterns.home, 'hydrated'], [routePatterns.contact, 'unhydrated'], [routePatterns.contact, 'hydrated']] as const) {
    const leaveAndReturn = async () => {
      await page.goto(site.origin + path);
      if (state === 'hydrated') {
        await waitUntilHydrated(page);
        await findMenu(page, 'Solutions').locator('> summary').press('Enter');
      }

      return goBack();
    };

    // A browser that is short of time or memory discards pages, so the test retries. If the page prevented caching, no
    // attempt would succeed.
    await eventually(leaveAndReturn, { message: `${path}, ${state}` }).toBe('true');
    expect(await isOpen(page, 'Solutions')).toBe(false);
  }
});
