import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { isHydrated, launchWholeBrowser, openPage, waitUntilHydrated, waitUntilIdle } from '../support/browser.ts';
import { findMenu, isOpen } from './find-menu.ts';
import { awaitFrames, eventually, moving, phone, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);

/** A page without a video. */
const quietPage = routePatterns.termsOfService;

/** Visits a page that stays as the server sent it, and collects the scripts it asks for. */
async function visitAsleep(path: string, options: Parameters<typeof site.visit>[1] = {}) {
  const scripts: string[] = [];
  const visited = await site.visit(path, {
    ...options,
    staysAsleep: true,
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
const readScroll = (page: Page) => page.evaluate(() => Math.round(scrollY));

describe('React sleeps', () => {
  test.each([
    ['a text page', quietPage, {}],
    ['a form', routePatterns.contact, {}],
    ['a listing behind its gate', routePatterns.insights, {}],
    ['a page with a video, on a phone', routePatterns.home, phone],
  ])('on %s that nobody touches, however it is scrolled', async (_what, path, options) => {
    const { page, scripts, reportedErrors } = await visitAsleep(path, options);
    await page.mouse.wheel(0, 600);
    await eventually(() => readScroll(page)).toBeGreaterThan(0);
    // Scroll listeners run with a frame, and may delay their work until the page is idle.
    await awaitFrames(page);
    await waitUntilIdle(page);

    expect(scripts.map((url) => new URL(url).pathname)).toEqual([expect.stringContaining('/start.')]);
    expect(reportedErrors).toEqual([]);
  });
});

describe('React wakes', () => {
  test.each<[string, string, (page: Page) => Promise<unknown>]>([
    ['a pointer on a link', quietPage, (page) => findFooterLink(page, '/about').hover()],
    ['a key', quietPage, (page) => page.keyboard.press('Tab')],
    ['the focus in a form', routePatterns.contact, (page) => page.getByLabel('Full Name').focus()],
    // This neither touches nor focuses the field, like a password manager.
    ['what is entered in a field', routePatterns.contact, (page) => page.getByLabel('Industry').selectOption('healthcare')],
    [
      'the estimate near the screen',
      pathTo.solution('ai-transformation'),
      (page) => page.locator('#estimate').scrollIntoViewIfNeeded(),
    ],
  ])('by %s', async (_what, path, act) => {
    const { page, scripts, reportedErrors } = await visitAsleep(path);
    const before = scripts.length;
    await act(page);
    await eventually(() => isHydrated(page)).toBe(true);

    expect(before).toBe(1);
    expect(scripts.length).toBeGreaterThan(1);
    expect(reportedErrors).toEqual([]);
  });

  test('for a field that was focused before its first script loaded', async () => {
    const { page } = await site.visit(routePatterns.contact, {
      staysAsleep: true,
      prepare: (opened) =>
        opened.route('**/start.*.js', async (route) => {
          await opened.getByLabel('Full Name').focus();
          await route.continue();
        }),
    });

    await eventually(() => isHydrated(page)).toBe(true);
  });

  test('and keeps the text typed before its scripts loaded', async () => {
    const { page } = await visitAsleep(routePatterns.contact, {
      prepare: (opened) =>
        opened.route('**/*.js', async (route) => {
          // This is slower than a person types.
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

describe('a page whose scripts never load', () => {
  test('wakes at the next interaction once the network is back', async () => {
    const { page } = await visitAsleep(quietPage);
    await page.context().setOffline(true);
    // Reported at the end of the attempt: until then a sign begins no other.
    const reported = page.waitForEvent('pageerror');
    await page.keyboard.press('Shift');
    await reported;
    await page.context().setOffline(false);
    await findFooterLink(page, '/about').hover();

    await waitUntilHydrated(page);
  });
});

test('a page that was left is shown again from memory, asleep, and awake with its menus closed', async () => {
  const browser = await launchWholeBrowser();
  onTestFinished(() => browser.close());
  const { page } = await openPage(browser);
  /** Whether `pageshow` tells of a page from memory; undefined when the browser did not keep it and loads it again. */
  const goBack = async () => {
    await page.evaluate(() => {
      const { dataset } = document.documentElement;
      dataset['persisted'] = 'waiting';
      addEventListener('pageshow', ({ persisted }) => (dataset['persisted'] = String(persisted)));
    });
    await page.goto(site.origin + quietPage);
    // A page from memory isn't loaded again.
    await page.goBack({ waitUntil: 'commit' });
    const isPersisted = () => page.evaluate(() => document.documentElement.dataset['persisted']);
    await eventually(isPersisted).not.toBe('waiting');

    return isPersisted();
  };

  for (const [path, state] of [[routePatterns.home, 'awake'], [routePatterns.contact, 'asleep'], [routePatterns.contact, 'awake']] as const) {
    const leaveAndReturn = async () => {
      await page.goto(site.origin + path);
      if (state === 'awake') {
        await waitUntilHydrated(page);
        await findMenu(page, 'Solutions').locator('> summary').press('Enter');
      }

      return goBack();
    };

    // A browser that is short of time or memory drops a page, so there are several tries: none succeeds when the page
    // itself forbids it.
    await eventually(leaveAndReturn, { message: `${path}, ${state}` }).toBe('true');
    expect(await isOpen(page, 'Solutions')).toBe(false);
  }
});
