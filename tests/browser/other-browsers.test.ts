import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { projectRoot } from '../../scripts/processes.ts';
import { routePatterns } from '../../shared/paths.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { launchOtherBrowser, type OtherBrowser } from '../support/other-browsers.ts';
import { eventually } from './serve-site.ts';

/** Wakes React, as a visitor does by a key. */
const pressKey = () => {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Shift' }));
};
const hasReact = () =>
  Object.keys([...document.querySelectorAll('main *')].at(-1) ?? {}).some((key) => key.startsWith('__reactFiber'));
const readScroll = () => Math.round(scrollY);
const readPath = () => location.pathname;

describe.each(['firefox', 'webkit'] as const)('in %s', (name) => {
  let browser: OtherBrowser;
  const { origin } = inject('sharedSite');
  const wake = async () => {
    await eventually(() => browser.run(pressKey).then(() => browser.run(hasReact))).toBe(true);
  };

  beforeAll(async () => {
    browser = await launchOtherBrowser(name);

    return () => browser.close();
  });

  test('back and forward show an awake page where it was left', async () => {
    await browser.open(origin + routePatterns.termsOfService);
    await wake();
    await browser.run(() => window.scrollTo({ top: 900, behavior: 'instant' }));
    await browser.run(() => document.querySelector<HTMLElement>('footer a[href="/privacy-policy"]')?.click());
    await eventually(() => browser.run(readPath)).toBe(routePatterns.privacyPolicy);
    await wake();
    await browser.run(() => window.scrollTo({ top: 400, behavior: 'instant' }));

    await browser.run(() => void setTimeout(() => history.back()));
    await eventually(() => browser.run(readPath)).toBe(routePatterns.termsOfService);
    await eventually(() => browser.run(readScroll)).toBe(900);
    await browser.run(() => void setTimeout(() => history.forward()));
    await eventually(() => browser.run(readPath)).toBe(routePatterns.privacyPolicy);
    await eventually(() => browser.run(readScroll)).toBe(400);
  });

  test('scripts that failed once are asked for again at the next sign', async () => {
    const proxy = await startFaultProxy(origin);
    onTestFinished(() => proxy.close());
    await browser.open(new URL(routePatterns.termsOfService, proxy.url).href);
    await browser.run(() => {
      addEventListener('error', () => (document.documentElement.dataset['failed'] = 'true'));
    });
    proxy.refuse();
    await browser.run(pressKey);
    await eventually(() => browser.run(() => document.documentElement.dataset['failed'])).toBe('true');
    proxy.pass();

    await wake();
  });

  test('the first bad field is in sight with its label, below the header', async () => {
    await browser.open(origin + routePatterns.contact);
    await wake();
    await browser.run(() => {
      const button = document.querySelector<HTMLElement>('main form button[type=submit]');
      button?.scrollIntoView({ block: 'center', behavior: 'instant' });
      button?.click();
    });
    const readLabel = () => {
      const field = document.activeElement;
      const label = field?.closest('form') && document.querySelector(`label[for="${field.id}"]`);
      const header = document.querySelector('header');

      return label && header ? label.getBoundingClientRect().top - header.getBoundingClientRect().bottom : null;
    };

    await eventually(() => browser.run(readLabel)).toBeGreaterThan(0);
  });
});

test('the styles have the prefixes that Safari and older versions of Chrome need', () => {
  const files = globSync(join(projectRoot, 'dist/{critical-styles.json,client/assets/**/*.css}'));
  const styles = files.map((file) => readFileSync(file, 'utf8')).join('');
  const needed = ['-webkit-text-size-adjust:100%', '-webkit-print-color-adjust:exact'];

  expect(needed.filter((declaration) => !styles.includes(declaration))).toEqual([]);
});
