import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { INCORRECT_PASSWORD } from '../../shared/page-state.ts';
import { anchors, insightsQuery, pathTo, routePatterns } from '../../shared/paths.ts';
import { openDatabase } from '../support/database.ts';
import { startErrorProbe } from './error-probe.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { launchOtherBrowser, type Blocked, type OtherBrowser, type OtherBrowserName } from './other-browsers.ts';
import { articles } from '../support/site-content.ts';
import { eventually, startSite } from './serve-site.ts';

// These run in the page and can't use anything else in this file.
const pressKey = () => void document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' }));
const hasReact = () =>
  Object.keys([...document.querySelectorAll('main *')].at(-1) ?? {}).some((key) => key.startsWith('__reactFiber'));
const readScroll = () => Math.round(scrollY);
const readPath = () => location.pathname;
const readMain = () => document.querySelector('main')?.innerText ?? '';
const readReported = () => (window as { reported?: string[] }).reported;
const has = (selector: string) => document.querySelector(selector) !== null;
const hasFocus = (selector: string) => document.activeElement?.matches(selector) ?? false;
const focus = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();
const click = (selector: string) => document.querySelector<HTMLElement>(selector)?.click();
const select = (selector: string) => document.querySelector<HTMLInputElement>(selector)?.select();
const scrollTo = (top: number) => window.scrollTo({ top, behavior: 'instant' });
const goBack = () => void setTimeout(() => history.back());
const goForward = () => void setTimeout(() => history.forward());

const keys = { end: '\uE010', escape: '\uE00C', right: '\uE014', down: '\uE015' } as const;
const SUMMARY = 'header nav[aria-label=Main] summary';
const OPEN_MENU = 'details[name=desktop-menu][open]';
const SUBMIT = 'main form button[type=submit]';

/** One page of each kind. */
const kindsOfPages = [
  routePatterns.home,
  pathTo.solution('ai-transformation'),
  routePatterns.insights,
  pathTo.article(articles[0]?.slug ?? ''),
  routePatterns.about,
  routePatterns.contact,
  routePatterns.termsOfService,
];

/** Launches a browser that may block scripts or storage. Returns functions that act like a visitor. */
function useBrowser(name: OtherBrowserName, blocked: Blocked, getOrigin: () => string) {
  let browser: OtherBrowser;

  beforeAll(async () => {
    browser = await launchOtherBrowser(name, blocked);

    return () => browser.close();
  });

  beforeEach(async ({ task }) => {
    // WebKit sometimes hangs, so the second try needs a new browser.
    if (!task.result?.retryCount) return;
    await browser.close();
    browser = await launchOtherBrowser(name, blocked);
  });

  const awaitText = (text: string) => eventually(() => browser.run(readMain)).toContain(text);

  return {
    get browser() {
      return browser;
    },
    awaitText,
    hydrate: async () => {
      await eventually(() => browser.run(pressKey).then(() => browser.run(hasReact))).toBe(true);
    },
    fillIn: async (fields: Readonly<Record<string, string>>) => {
      for (const [field, words] of Object.entries(fields)) {
        await browser.run(focus, `main form [name=${field}]`);
        await browser.run(select, `main form [name=${field}]`);
        await browser.type(words);
      }
    },
    /** Opens pages through a proxy and returns the errors they report. */
    listErrors: async (paths: readonly string[], visit: () => Promise<void>) => {
      const probe = await startErrorProbe(getOrigin());
      onTestFinished(probe.close);
      const reported: string[] = [];
      for (const path of paths) {
        await browser.open(probe.origin + path);
        await visit();
        const errors = await browser.run(readReported);
        reported.push(...(errors ?? ['no probe']).map((error) => `${path}: ${error}`));
      }

      return reported;
    },
  };
}

describe.each(['firefox', 'webkit'] as const)('in %s', (name) => {
  let site: Awaited<ReturnType<typeof startSite>>;
  const getOrigin = () => site.origin;
  const open = ({ browser }: { browser: OtherBrowser }, path: string) => browser.open(site.origin + path);
  const findRows = (company: string) =>
    openDatabase(site.databaseUrl, onTestFinished)('contact_submissions').where({ company });

  beforeAll(async () => {
    site = await startSite({});

    return async () => void (await site.stop());
  });

  describe('with default settings', () => {
    const visitor = useBrowser(name, 'nothing', getOrigin);
    const { awaitText, hydrate } = visitor;

    test('a hydrated page of each kind reports no errors and no policy violations', async () => {
      expect(await visitor.listErrors(kindsOfPages, hydrate)).toEqual([]);
      await visitor.browser.run(() => {
        const picture = new Image();
        picture.src = 'https://example.com/';
        setTimeout(() => {
          throw new Error('seen');
        });
      });
      const expected = [expect.stringContaining('seen'), expect.stringContaining('policy: img-src')];
      await eventually(() => visitor.browser.run(readReported)).toEqual(expect.arrayContaining(expected));
    });

    test('back and forward show a hydrated page at its last scroll position', async () => {
      const { browser } = visitor;
      await open(visitor, routePatterns.termsOfService);
      await hydrate();
      await browser.run(scrollTo, 900);
      await browser.run(click, 'footer a[href="/privacy-policy"]');
      await eventually(() => browser.run(readPath)).toBe(routePatterns.privacyPolicy);
      await hydrate();
      await browser.run(scrollTo, 400);

      await browser.run(goBack);
      await eventually(() => browser.run(readPath)).toBe(routePatterns.termsOfService);
      await eventually(() => browser.run(readScroll)).toBe(900);
      await browser.run(goForward);
      await eventually(() => browser.run(readPath)).toBe(routePatterns.privacyPolicy);
      await eventually(() => browser.run(readScroll)).toBe(400);
    });

    test('scripts that failed to load are requested again on the next interaction', async () => {
      const { browser } = visitor;
      const proxy = await startFaultProxy(site.origin);
      onTestFinished(() => proxy.close());
      await browser.open(new URL(routePatterns.termsOfService, proxy.url).href);
      await browser.run(() => {
        addEventListener('error', () => (document.documentElement.dataset['failed'] = 'true'));
      });
      proxy.refuse();
      await browser.run(pressKey);
      await eventually(() => browser.run(has, '[data-failed]')).toBe(true);
      proxy.pass();

      await hydrate();
    });

    test('on an unhydrated page, a menu opens on hover and closes when the mouse leaves', async () => {
      const { browser } = visitor;
      await open(visitor, routePatterns.termsOfService);
      const isOpenUnder = (selector: string) => browser.hover(selector).then(() => browser.run(has, OPEN_MENU));
      await eventually(() => isOpenUnder(SUMMARY)).toBe(true);
      await eventually(() => isOpenUnder('header a')).toBe(false);
    });

    test('the down arrow opens a menu and focuses its first link, and Escape returns the focus', async () => {
      const { browser } = visitor;
      await open(visitor, routePatterns.termsOfService);
      await hydrate();
      await browser.run(focus, SUMMARY);
      await browser.type([keys.down]);
      await eventually(() => browser.run(hasFocus, `${OPEN_MENU} a`)).toBe(true);
      await browser.type([keys.escape]);

      await eventually(() => browser.run(hasFocus, 'details:not([open]) > summary')).toBe(true);
    });

    test('the first invalid field is visible with its label, and a double click sends the request once', async () => {
      const { browser } = visitor;
      await open(visitor, routePatterns.contact);
      await hydrate();
      await browser.run((selector) => {
        const button = document.querySelector<HTMLElement>(selector);
        button?.scrollIntoView({ block: 'center', behavior: 'instant' });
        button?.click();
      }, SUBMIT);
      const readLabel = () => {
        const field = document.activeElement;
        const label = field?.closest('form') && document.querySelector(`label[for="${field.id}"]`);
        const header = document.querySelector('header');

        return label && header ? label.getBoundingClientRect().top - header.getBoundingClientRect().bottom : null;
      };
      await eventually(() => browser.run(readLabel)).toBeGreaterThan(0);

      await visitor.fillIn({ name: 'Ada', email: 'ada@example.org', company: 'Awake' });
      await browser.run(click, SUBMIT);
      await browser.run(click, SUBMIT);
      await awaitText(contactMessages.success);
      expect(await findRows('Awake')).toHaveLength(1);
    });

    test('the gate reports a wrong password, opens with the right one, stays open and locks', async () => {
      const { browser } = visitor;
      await open(visitor, `${routePatterns.insights}?${insightsQuery.unlock}=1`);
      await hydrate();
      await visitor.fillIn({ password: 'wrong' });
      await browser.run(click, SUBMIT);
      await awaitText(INCORRECT_PASSWORD);
      await visitor.fillIn({ password: PASSWORD });
      await browser.run(click, SUBMIT);
      await eventually(() => browser.run(has, '[name=action][value=lock]')).toBe(true);

      await open(visitor, routePatterns.insights);
      await browser.run(click, '[name=action][value=lock]');
      await awaitText('Premium Insights');
    });

    test('the estimate hydrates when it is near the viewport, and responds to its slider', async () => {
      const { browser } = visitor;
      await open(visitor, pathTo.solution('ai-transformation'));
      await browser.run((id) => document.getElementById(id)?.scrollIntoView(), anchors.estimate);
      await eventually(() => browser.run(has, `#${anchors.estimate} [type=range]`)).toBe(true);
      await browser.run(focus, `#${anchors.estimate} [type=range]`);
      await browser.type([keys.end]);

      await awaitText('$1,840,000');
    });
  });

  describe('without scripts', () => {
    const visitor = useBrowser(name, 'scripts', getOrigin);

    test('a menu leads to the form, which shows an error, keeps the typed text, and can be submitted once corrected', async () => {
      await open(visitor, routePatterns.termsOfService);
      await visitor.browser.run(click, SUMMARY);
      await visitor.browser.run(click, `${OPEN_MENU} a[href="/contact"]`);
      await eventually(() => visitor.browser.run(readPath)).toBe(routePatterns.contact);
      await visitor.fillIn({ name: 'Ada', email: 'ada@localhost', company: 'No scripts' });
      await visitor.browser.run(click, SUBMIT);
      await visitor.awaitText('Enter a complete email address');
      await visitor.fillIn({ email: 'ada@example.org' });
      await visitor.browser.run(click, SUBMIT);

      await visitor.awaitText(contactMessages.success);
      expect(await findRows('No scripts')).toHaveLength(1);
    });
  });

  describe('without storage and cookies', () => {
    const visitor = useBrowser(name, 'storage', getOrigin);

    test('hydrated pages report no errors, and a request is sent', async () => {
      const paths = [routePatterns.insights, pathTo.solution('ai-transformation')];
      expect(await visitor.listErrors(paths, visitor.hydrate)).toEqual([]);

      await open(visitor, routePatterns.contact);
      await visitor.hydrate();
      await visitor.fillIn({ name: 'Ada', email: 'ada@example.org', company: 'No storage' });
      await visitor.browser.run(click, SUBMIT);

      await visitor.awaitText(contactMessages.success);
      expect(await findRows('No storage')).toHaveLength(1);
    });
  });
});
