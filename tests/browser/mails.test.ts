import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { launchBrowser, openPage } from '../support/browser.ts';
import { makeSampleMails } from '../support/sample-mails.ts';
import { findViolations } from './find-violations.ts';

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();

  return () => browser.close();
});

/** Rules for pages of a site, which a mail is not. */
const OF_SITES = new Set(['landmark-one-main', 'region']);

const forms = [600, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
);

describe.each(Object.entries(makeSampleMails()))('the mail ‘%s’', (_name, mail) => {
  test.each(forms)('is whole and readable at %i px in %s colors', async (width, colorScheme) => {
    const { page, reportedErrors } = await openPage(browser, {
      viewport: { width, height: 800 },
      colorScheme,
    });
    onTestFinished(() => page.context().close());
    page.on('request', (request) => reportedErrors.push(`asked ${request.url()}`));

    await page.setContent(renderMail(mail).html);

    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    const background = await page.locator('td.card').first().evaluate(
      (element) => getComputedStyle(element).backgroundColor,
    );
    expect(background === 'rgb(255, 255, 255)').toBe(colorScheme === 'light');
    const violations = await findViolations(page);
    expect(violations.filter(([rule]) => !OF_SITES.has(rule))).toEqual([]);
    expect(reportedErrors).toEqual([]);
  });

  test('keeps its light colors where the program ignores the style sheet', async () => {
    const { page } = await openPage(browser, { viewport: { width: 600, height: 800 }, colorScheme: 'dark' });
    onTestFinished(() => page.context().close());
    const { html } = renderMail(mail);

    await page.setContent(html.replace(/<style>.*?<\/style>/s, '').replace(/<meta name="(?:supported-)?color-scheme"[^>]*>/g, ''));

    expect((await findViolations(page)).filter(([rule]) => rule === 'color-contrast')).toEqual([]);
  });
});
