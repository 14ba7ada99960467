import type { Locator, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { anchors, pathTo } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { findMenu } from './find-menu.ts';
import { eventually, moving, phone, serveSite } from './serve-site.ts';

const site = serveSite(undefined, moving);
const visit = site.shareTab();
const visitPhone = site.shareTab(phone);

const findFooterLink = (page: Page, path: string) =>
  page.getByRole('contentinfo').locator(`a[href="${path}"]`);
const readScroll = (page: Page) => page.evaluate(() => Math.round(scrollY));
/** Distance of a part's top from the lower edge of the header, in pixels. */
const readDistance = async (page: Page, id: string) => {
  const part = await page.locator(`#${id}`).boundingBox();
  const header = await page.getByRole('banner').boundingBox();

  return Math.abs((part?.y ?? NaN) - (header?.height ?? NaN));
};

/** What the router does for the browser's own buttons: an address without a link leading there. */
const goTo = (page: Page, path: string) =>
  page.evaluate((address) => {
    history.pushState(null, '', address);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, path);

/** Counts the documents that come, those the browser had prefetched too. */
function countDocuments(page: Page): () => number {
  let documents = 0;
  page.on('domcontentloaded', () => {
    documents += 1;
  });

  return () => documents;
}

describe('following a link', () => {
  test.each([
    ['1280 pixels wide', visit],
    ['on a phone', visitPhone],
  ])('shows the page from its top, its heading focused and its title announced, %s', async (_width, open) => {
    const { page, reportedErrors } = await open('/terms-of-service');
    const documents = countDocuments(page);
    await findFooterLink(page, '/about').click();
    await page.waitForURL('**/about');

    await page.locator('h1:focus', { hasText: 'We began where the busywork was' }).waitFor();
    await eventually(() => page.title()).toBe('About Us | Praline');
    expect(await readScroll(page)).toBe(0);
    await eventually(() => page.getByRole('status').innerText()).toBe('About Us | Praline');
    expect(documents()).toBe(0);
    expect(reportedErrors).toEqual([]);
  });

  test.each([anchors.story, anchors.corePrinciples])(
    'to a part of another page (#%s) shows that part, below the header',
    async (anchor) => {
      const { page } = await visit('/terms-of-service');
      await findFooterLink(page, `/about#${anchor}`).click();
      await page.waitForURL(`**/about#${anchor}`);

      await eventually(() => readDistance(page, anchor)).toBeLessThan(2);
      await page.locator(`#${anchor}:focus`).waitFor();
      await eventually(() => page.title()).toBe('About Us | Praline');
    },
  );

  test('to a part of the page shown moves there', async () => {
    const { page } = await visit('/about');
    await findFooterLink(page, `/about#${anchors.story}`).click();
    await eventually(() => readDistance(page, anchors.story)).toBeLessThan(2);
    await findFooterLink(page, '/about').click();

    await eventually(() => readScroll(page)).toBe(0);
  });

  test.each([
    ['pointer', (link: Locator) => link.hover()],
    ['focus', (link: Locator) => link.focus()],
  ])('fetches the page’s scripts when the %s comes to it, and none at the click', async (_way, come) => {
    const { page } = await site.visit('/terms-of-service');
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('.js')) scripts.push(request.url());
    });
    const link = findFooterLink(page, '/privacy-policy');
    await come(link);
    await eventually(() => scripts.length).toBeGreaterThan(0);
    const fetched = [...scripts];
    await link.evaluate((element) => (element as HTMLElement).click());
    await page.locator('h1', { hasText: 'Privacy Policy' }).waitFor();

    expect(scripts).toEqual(fetched);
  });
});

test.each([
  ['fades into it', 'no-preference', 200],
  ['replaces it at once where motion is unwanted', 'reduce', 0],
] as const)('a page that follows another one %s', async (_how, reducedMotion, duration) => {
  const { page } = await site.visit('/terms-of-service', { reducedMotion });
  await page.evaluate(() => {
    const start = document.startViewTransition.bind(document);
    document.startViewTransition = (update) => {
      const transition = start(update);
      void transition.ready.then(() => {
        const durations = document
          .getAnimations()
          .flatMap(({ effect }) => (effect instanceof KeyframeEffect && effect.pseudoElement ? [effect] : []))
          .map((effect) => Number(effect.getTiming().duration));
        document.body.dataset['longestFade'] = String(Math.max(...durations));
      });

      return transition;
    };
  });
  await findFooterLink(page, '/privacy-policy').click();

  await eventually(() => page.locator('body').getAttribute('data-longest-fade')).toBe(String(duration));
  await page.locator('h1:focus', { hasText: 'Privacy Policy' }).waitFor();
});

test.each([['/contact'], ['/contact?industry=education']])(
  'a link from the contact page to %s begins at its top again, with the focus at its heading',
  async (path) => {
    const { page } = await visit('/contact');
    await findFooterLink(page, path).scrollIntoViewIfNeeded();
    await findFooterLink(page, path).click();

    await eventually(() => readScroll(page)).toBe(0);
    expect(page.url()).toBe(site.origin + path);
    await page.locator('h1:focus').waitFor();
  },
);

test('a link of a menu to the page shown moves the focus to its heading', async () => {
  const { page } = await visit('/contact');
  const menu = findMenu(page, 'Industries');
  await menu.locator('> summary').press('Enter');
  await menu.getByRole('link', { name: 'Healthcare' }).press('Enter');

  await page.waitForURL(`**${pathTo.contact({ industry: 'healthcare' })}`);
  await page.locator('h1:focus', { hasText: contactMessages.heading }).waitFor();
});

describe('an address without a page', () => {
  test('gets the not-found page and its title, without asking the server', async () => {
    const { page } = await visit('/terms-of-service');
    const documents = countDocuments(page);
    for (const path of ['/insights/none', '/solutions/none', '/nope']) {
      await goTo(page, path);
      await page.locator('h1', { hasText: 'This one has rolled away' }).waitFor();
      await eventually(() => page.title(), { message: path }).toBe('Page not found | Praline');

      await findFooterLink(page, '/terms-of-service').click();
      await page.locator('h1', { hasText: 'Terms of Service' }).waitFor();
      await eventually(() => page.title(), { message: path }).toBe('Terms of Service | Praline');
    }

    expect(documents()).toBe(0);
  });

  test('leads on to a known one', async () => {
    const { page, status } = await visit('/insights/none');
    expect(status).toBe(404);
    await page.locator('main').getByRole('link', { name: /contact/i }).click();
    await page.waitForURL('**/contact');

    await page.locator('h1', { hasText: contactMessages.heading }).waitFor();
    await page.getByLabel('Full Name').waitFor();
  });
});

describe('a script that can’t be loaded any more', () => {
  /** The visitor went offline, or a new release has taken the place of this one. */
  const loseScripts = (page: Page) => page.route('**/*.js', (route) => route.abort());

  test('changes nothing for who only points at a link', async () => {
    const { page } = await site.visit('/terms-of-service');
    await loseScripts(page);
    const documents = countDocuments(page);
    const failure = page.waitForEvent('requestfailed');
    await findFooterLink(page, '/about').hover();
    await failure;
    await page.unrouteAll();

    await page.getByRole('banner').getByRole('link', { name: 'Contact', exact: true }).click();
    await page.locator('h1:focus', { hasText: contactMessages.heading }).waitFor();
    expect(documents()).toBe(0);
  });

  test('is made up for by the document of the page asked for', async () => {
    const { page } = await site.visit('/terms-of-service');
    await loseScripts(page);
    const documents = countDocuments(page);
    await findFooterLink(page, '/about').click();

    await page.locator('h1', { hasText: 'We began where the busywork was' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/about');
    // The browser reports the document a little after it shows it.
    await eventually(documents).toBe(1);
  });
});

test('an industry’s address leads to the contact form, with what it knows, by document and within the site', async () => {
  const { page } = await site.visit('/terms-of-service', { reducedMotion: 'reduce' });
  const readTarget = () => page.url().replace(site.origin, '');
  for (const [path, option] of [
    ['/industries', ''],
    ['/industries/none', ''],
    ['/industries/healthcare', 'healthcare'],
    ['/industries/retail', 'retail-ecommerce'],
    ['/industries/transportation', 'transportation-logistics'],
  ] as const) {
    const target = pathTo.contact(option === '' ? {} : { industry: option });
    await page.goto(site.origin + path);
    await waitUntilHydrated(page);
    expect(readTarget(), path).toBe(target);
    expect(await page.getByLabel('Industry').inputValue(), path).toBe(option);

    await findFooterLink(page, '/terms-of-service').click();
    await page.locator('h1', { hasText: 'Terms of Service' }).waitFor();
    const entries = await page.evaluate(() => history.length);
    await goTo(page, path);
    await page.locator('h1', { hasText: contactMessages.heading }).waitFor();
    expect(readTarget(), path).toBe(target);
    expect(await page.getByLabel('Industry').inputValue(), path).toBe(option);
    // Replaced, not added: going back skips the industry's address.
    expect(await page.evaluate(() => history.length), path).toBe(entries + 1);
    await page.goBack();
    await page.locator('h1', { hasText: 'Terms of Service' }).waitFor();
  }
});

test('the header stays in sight of who scrolls, and its logo leads home', async () => {
  const { page } = await visit('/terms-of-service');
  await page.evaluate(() => window.scrollTo({ top: 2_000, behavior: 'instant' }));
  expect(await readScroll(page)).toBe(2_000);
  expect((await page.getByRole('banner').boundingBox())?.y).toBe(0);
  await page.getByRole('banner').getByRole('link', { name: 'Praline' }).click();

  await page.locator('h1', { hasText: 'We handle the non-revenue work' }).waitFor();
  expect(page.url()).toBe(`${site.origin}/`);
});

test('the skip link leads past the header', async () => {
  const { page } = await visit('/terms-of-service');
  await page.keyboard.press('Tab');
  const skipLink = page.locator('a:focus', { hasText: 'Skip to content' });
  expect(await skipLink.isVisible()).toBe(true);
  await page.keyboard.press('Enter');
  await page.locator('main:focus').waitFor();
});
