import { beforeAll, beforeEach, expect, test } from 'vitest';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { launchBrowser, openPage, type WatchedPage } from '../support/browser.ts';
import { makeSampleMails, writePlainMail } from '../support/sample-mails.ts';
import { findViolations } from './find-violations.ts';

/** One page for all mails, because a separate page for each would take most of the test's time. */
let watched: WatchedPage;

beforeAll(async () => {
  const browser = await launchBrowser();
  watched = await openPage(browser);
  const { page, reportedErrors } = watched;
  page.on('request', (request) => reportedErrors.push(`asked ${request.url()}`));

  return () => browser.close();
});

beforeEach(() => {
  watched.reportedErrors.length = 0;
});

/** Rules for web pages that don't apply to mails. */
const RULES_FOR_PAGES = new Set(['landmark-one-main', 'region']);

const forms = [600, 320].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => [width, colorScheme] as const),
);

/** Together, these cover every width and color scheme. No color depends on the width. */
const checkedForms = ['600 px, light', '320 px, dark'];

test.each(Object.entries(makeSampleMails()))('the mail ‘%s’ is complete and readable at every width and in every color scheme', async (_name, mail) => {
  const { page, reportedErrors } = watched;
  await page.setContent(renderMail(mail).html);

  for (const [width, colorScheme] of forms) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme });

    const form = `${width} px, ${colorScheme}`;
    expect(await page.evaluate(() => document.documentElement.scrollWidth), form).toBeLessThanOrEqual(width);
    const background = await page.locator('td.card').first().evaluate(
      (element) => getComputedStyle(element).backgroundColor,
    );
    expect(background === 'rgb(255, 255, 255)', form).toBe(colorScheme === 'light');
    if (!checkedForms.includes(form)) continue;
    const violations = await findViolations(page);
    expect(violations.filter(([rule]) => !RULES_FOR_PAGES.has(rule)), form).toEqual([]);
  }
  expect(reportedErrors).toEqual([]);
});

// One mail is enough, because all mails use the same colors.
test('a mail keeps its light colors if the mail program ignores the style sheet', async () => {
  const { page } = watched;
  const { html } = renderMail(writePlainMail());
  await page.setViewportSize({ width: 600, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });

  await page.setContent(html.replace(/<style>.*?<\/style>/s, '').replace(/<meta name="(?:supported-)?color-scheme"[^>]*>/g, ''));

  expect((await findViolations(page)).filter(([rule]) => rule === 'color-contrast')).toEqual([]);
});
