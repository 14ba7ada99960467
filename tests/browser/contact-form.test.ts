import type { Page, Route } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import { routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { openDatabase } from '../support/database.ts';
import { findViolations } from './find-violations.ts';
import { makeProblem } from './hold-requests.ts';
import { cutScripts, enlargeText, phone, serveSite } from './serve-site.ts';

const BOOKING_URL = 'https://calendar.example.com/assessment';
const site = serveSite({ RATE_LIMIT_CONTACT: '1000/10m', BOOKING_URL });
const visit = site.shareTab();

const CALL = '**/api/contact-submissions';
const submitButton = (page: Page) => page.locator('main form button[type=submit]');

/** Fills in the form and pretends it took three seconds. A form sent within two seconds is held as possible spam. */
async function fillIn(page: Page, company: string): Promise<void> {
  await page.evaluate(() => {
    const now = performance.now.bind(performance);
    performance.now = () => now() + 3_000;
  });
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill(company);
}

const findRows = (company: string) =>
  openDatabase(site.databaseUrl, onTestFinished)('contact_submissions').where({ company });

describe('the contact form', () => {
  test('shows a message beside each invalid field and focuses the first one', async () => {
    const { page } = await visit(routePatterns.contact);
    await page.getByLabel('Business Email').fill('nowhere');
    await submitButton(page).click();

    await page.getByText('Enter your full name.').waitFor();
    expect(await page.getByText('Enter your company name.').isVisible()).toBe(true);
    expect(await page.locator('[aria-invalid=true]').count()).toBe(3);
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('name');
    const described = await page.getByLabel('Full Name').getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described?.split(' ').at(-1)}"]`).textContent()).toContain(
      'Enter your full name.',
    );
  });

  test('suggests a large provider’s domain for a mistyped address, and a click accepts it', async () => {
    const { page, reportedErrors } = await visit(routePatterns.contact);
    const email = page.getByLabel('Business Email');
    const question = page.getByRole('button', { name: 'Did you mean anna@gmail.com?' });
    await email.fill('anna@gmial.com');
    expect(await question.count()).toBe(0);
    await page.getByLabel('Company Name').focus();
    await question.waitFor();
    expect(await page.getByRole('status').getByText('Did you mean anna@gmail.com?').count()).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    await email.fill('anna@gmial.net');
    await question.waitFor({ state: 'detached' });

    await email.fill('anna@gmial.com');
    await page.getByLabel('Message').focus();
    await question.click();
    expect(await email.inputValue()).toBe('anna@gmail.com');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
    await question.waitFor({ state: 'detached' });
    expect(reportedErrors).toEqual([]);
  });

  test('shows why the server refused a request, keeps the text, and hides the reason once a request is accepted', async () => {
    const { page, reportedErrors } = await visit(routePatterns.contact);
    await fillIn(page, 'Refused first');
    await page.route(CALL, (route) => route.fulfill(makeProblem(503, 'Please try again in a minute.')));
    await submitButton(page).click();

    await page.getByText('Database error: Please try again in a minute.').waitFor();
    expect(await page.getByLabel('Company Name').inputValue()).toBe('Refused first');
    expect(reportedErrors.join()).toContain('Database error: Please try again in a minute.');
    const email = page.getByRole('main').getByRole('link', { name: 'legal@example.com' });
    expect(await email.getAttribute('href')).toBe('mailto:legal@example.com');
    expect(await findViolations(page)).toEqual([]);

    await page.unroute(CALL);
    await submitButton(page).click();
    await page.getByText(contactMessages.success).waitFor();
    expect(await page.getByText('Database error').count()).toBe(0);
    expect(await email.count()).toBe(0);
    expect(await findRows('Refused first')).toHaveLength(1);
  });

  test('shows a message if there is no response, keeps the text until it is sent, and never stores a second row', async () => {
    const { page } = await visit(routePatterns.contact);
    await fillIn(page, 'Answer lost');
    // The request arrives, but the response is lost.
    await page.route(CALL, async (route: Route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await submitButton(page).click();
    await page.getByText('Submission failed: ').waitFor();
    await page.unroute(CALL);

    await page.reload();
    await waitUntilHydrated(page);
    expect(await page.getByLabel('Company Name').inputValue()).toBe('Answer lost');
    await submitButton(page).click();
    await page.getByText(contactMessages.success).waitFor();

    expect(await findRows('Answer lost')).toHaveLength(1);
    await page.reload();
    await waitUntilHydrated(page);
    expect(await page.getByLabel('Company Name').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toContain('Ada');
  });
});

test('after a request is sent, the page shows the next steps, the submitted text to copy and print, further links, and a way to send another', async () => {
  const { page, reportedErrors } = await site.visit(routePatterns.contact, {
    viewport: { width: 320, height: 640 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await fillIn(page, 'Neil & Daughters');
  await page.getByLabel('Industry').selectOption('retail-ecommerce');
  await page.getByLabel('Message').fill('Two lines\nof words.');
  // The test uses the keyboard, because the browser prefetches any link that appears under the pointer.
  await submitButton(page).press('Enter');
  const banner = page.getByRole('status').filter({ hasText: contactMessages.success });
  await banner.waitFor();

  expect(await banner.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await page.getByRole('heading', { level: 2, name: 'What happens next' }).isVisible()).toBe(true);
  const link = page.getByRole('link', { name: 'Or pick a time yourself' });
  expect([await link.getAttribute('href'), await link.getAttribute('rel')]).toEqual([BOOKING_URL, 'noreferrer']);
  const sent = page.getByRole('region', { name: 'What you sent us' });
  for (const value of ['Ada Example', 'ada@example.org', 'Neil & Daughters', 'Retail & E-commerce']) {
    expect(await sent.getByText(value, { exact: true }).isVisible()).toBe(true);
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(await findViolations(page)).toEqual([]);

  await sent.getByRole('button', { name: 'Copy' }).press('Enter');
  await sent.getByRole('status').filter({ hasText: 'Copied.' }).waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'Full name: Ada Example\nBusiness email: ada@example.org\nCompany name: Neil & Daughters\nIndustry: Retail & E-commerce\nMessage: Two lines\nof words.',
  );
  await page.emulateMedia({ media: 'print' });
  expect(await sent.getByText('Neil & Daughters').isVisible()).toBe(true);
  expect(await sent.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
  await page.emulateMedia({ media: 'screen' });

  expect(await submitButton(page).isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Send another request' }).press('Enter');
  await submitButton(page).waitFor();
  expect(await page.getByLabel('Company Name').inputValue()).toBe('');
  expect(await page.getByText('Neil & Daughters').count()).toBe(0);
  expect(reportedErrors).toEqual([]);
});

test('if scripts never load, a refused form focuses the first invalid field, is accessible, fits a phone, and is accepted once corrected', async () => {
  const { page } = await site.visit(routePatterns.contact, { ...phone, staysUnhydrated: true, prepare: cutScripts });
  const sendPlainly = async () => {
    await page.getByLabel('Company Name').fill('Corrected Sweets');
    await submitButton(page).click();
  };
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Message').fill('\nFirst line.\n<b>Second</b> line.');
  await page.getByLabel('Business Email').fill('ada@localhost');
  await sendPlainly();
  await page.getByText('Enter a complete email address').waitFor();

  expect(await page.locator('[aria-invalid=true]:focus').getAttribute('name')).toBe('email');
  expect(await page.getByLabel('Message').inputValue()).toBe('\nFirst line.\n<b>Second</b> line.');
  expect(await findViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await enlargeText(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);

  await page.getByLabel('Business Email').fill('ada@example.org');
  await sendPlainly();
  await page.getByText(contactMessages.success).waitFor();
  expect(await findRows('Corrected Sweets')).toHaveLength(1);
});

test('at 320 px, the honeypot is invisible, outside the tab order and hidden from screen readers', async () => {
  const { page } = await site.visit(routePatterns.contact, { viewport: { width: 320, height: 640 } });
  const form = page.locator('main form');
  expect(await form.locator(`[name=${honeypotName}]`).count()).toBe(1);

  expect(await form.ariaSnapshot()).not.toMatch(/subject/i);
  const box = await form.locator(`span:has(> [name=${honeypotName}])`).boundingBox();
  expect(Math.max(box?.width ?? Infinity, box?.height ?? Infinity)).toBeLessThanOrEqual(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  expect(await findViolations(page)).toEqual([]);

  await page.getByLabel('Full Name').focus();
  const names: (string | null)[] = [];
  while (names.at(-1) !== 'submit') {
    names.push(
      await page.evaluate(() => {
        const { activeElement: active } = document;

        return active?.getAttribute('name') ?? active?.getAttribute('type') ?? null;
      }),
    );
    await page.keyboard.press('Tab');
  }
  expect(names).toEqual(['name', 'email', 'company', 'phone', 'industry', 'message', 'submit']);
});

test('a visit’s source is stored with a request sent several pages later, and the request is not held', async () => {
  const landing = '/about?utm_source=newsletter&utm_campaign=spring&email=ada%40example.org';
  const { page } = await site.visit(landing, { referer: 'http://news.example/search?q=secret' });
  await page.locator('footer a[href="/privacy-policy"]').click();
  await page.getByRole('heading', { level: 1, name: 'Privacy Policy' }).waitFor();
  await page.locator('a[href="/contact"]:visible').first().click();
  await page.getByLabel('Full Name').waitFor();
  // Other campaign labels don't start a new visit.
  await page.goto(`${site.origin}/contact?utm_source=other`, {
    referer: 'http://elsewhere.example/',
  });
  await waitUntilHydrated(page);
  await fillIn(page, 'With a source');
  await submitButton(page).click();
  await page.getByText(contactMessages.success).waitFor();

  expect(await findRows('With a source').first()).toMatchObject({
    quarantine_reason: null,
    source: {
      utm_source: 'newsletter',
      utm_campaign: 'spring',
      referrer: 'news.example',
      landing_path: '/about',
    },
    visited_paths: ['/about', '/privacy-policy', '/contact'],
  });
  expect(await page.evaluate(() => sessionStorage.getItem('visit'))).toContain('"paths":[]');
});
