import { expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { newsletterMessages } from '../../shared/newsletter/newsletter-messages.ts';
import { routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite({});

/** What the browser reported about the content policy, and nothing of responses that are meant to be refusals. */
const listViolations = (reportedErrors: readonly string[]) =>
  reportedErrors.filter((text) => /policy|trusted/i.test(text));

test('a script that makes markup from text is stopped, and these tests hear of it', async () => {
  const { page, reportedErrors } = await site.visit('/');

  const failure = await page.evaluate(() => {
    try {
      document.body.insertAdjacentHTML('beforeend', '<b>made from text</b>');

      return 'nothing';
    } catch (error) {
      return String(error);
    }
  });

  expect(failure).toContain('TrustedHTML');
  await eventually(() => reportedErrors.join()).toContain('policy: require-trusted-types-for');
  expect(await page.evaluate(() => 'trustedTypes' in window)).toBe(true);
});

// When its script takes over: every-page.test.ts, where no page may report an error, which this is.
test('the form, the gate and the newsletter make no markup from text', async () => {
  const { page, reportedErrors } = await site.visit(routePatterns.contact);
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill('Example Sweets');
  await page.locator('main form button[type=submit]').click();
  await page.getByText(contactMessages.success).waitFor();

  await page.goto(site.origin + routePatterns.insights);
  await waitUntilHydrated(page);
  await page.getByRole('button', { name: 'Access Premium Content' }).click();
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Unlock Content' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
  await waitUntilHydrated(page);
  await page.getByRole('searchbox', { name: 'Search' }).fill('a');
  await page.locator('#newsletter').getByLabel('Email address').fill('ada@example.org');
  await page.locator('#newsletter').getByRole('button').click();
  await page.getByText(newsletterMessages.success).first().waitFor();
  await page.getByRole('button', { name: 'Lock Content', exact: true }).click();
  await page.getByRole('button', { name: 'Access Premium Content' }).waitFor();

  expect(listViolations(reportedErrors)).toEqual([]);
});
