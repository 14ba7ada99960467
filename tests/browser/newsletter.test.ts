import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { newsletterMessages } from '../../shared/newsletter/newsletter-messages.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo, routePatterns } from '../../shared/paths.ts';
import { openDatabase } from '../support/database.ts';
import { findViolations } from './find-violations.ts';
import { holdRequests, makeProblem } from './hold-requests.ts';
import { eventually, serveSite } from './serve-site.ts';

const COOKIE_SECRET = 's'.repeat(32);
const site = serveSite({ COOKIE_SECRET });
const visit = site.shareTab();

const CALL = '**/api/newsletter-subscriptions';

const findBox = (page: Page) => {
  const box = page.locator('#newsletter');

  return {
    field: box.getByLabel('Email address'),
    button: box.locator('button[type=submit]'),
    // A different status element announces that the address is being sent.
    status: box.getByRole('status').filter({ hasText: newsletterMessages.success }),
    alert: box.getByRole('alert'),
    error: box.locator('#newsletter-email-error'),
  };
};

/** Returns whether the element or something inside it has the focus. */
const hasFocus = (element: ReturnType<typeof findBox>['field']) =>
  element.evaluate((node) => node.contains(document.activeElement));

const openTestDatabase = () => openDatabase(site.databaseUrl, onTestFinished);
const findRow = (email: string) => openTestDatabase()('newsletter_subscriptions').where({ email }).first();

describe('the newsletter box', () => {
  test('accepts an address from the keyboard, and shows the progress and the next step', async () => {
    const { page, reportedErrors } = await visit(routePatterns.insights);
    const { field, button, status } = findBox(page);
    const release = await holdRequests(page, CALL);

    await field.focus();
    await page.keyboard.type('Keyboard@Example.org');
    await page.keyboard.press('Enter');
    await eventually(() => button.textContent()).toBe(newsletterMessages.submitting);
    expect([await button.isDisabled(), await field.isDisabled()]).toEqual([true, true]);
    release();
    await status.waitFor();

    expect(await status.innerText()).toBe(newsletterMessages.success);
    expect(await hasFocus(status)).toBe(true);
    expect(await field.inputValue()).toBe('');
    expect(await button.textContent()).toBe('Subscribe');
    expect(await findRow('keyboard@example.org')).toBeDefined();
    expect(reportedErrors).toEqual([]);
  });

  test('focuses the field and shows an error beside it until the address is changed', async () => {
    const { page } = await visit(routePatterns.insights);
    const { field, button, error } = findBox(page);

    await button.click();
    await error.waitFor();
    expect(await error.innerText()).toBe('Enter your email address.');
    expect(await hasFocus(field)).toBe(true);
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    expect(await field.getAttribute('aria-describedby')).toBe('newsletter-email-error');
    expect(await findViolations(page)).toEqual([]);

    await field.fill('ada');
    await eventually(() => error.count()).toBe(0);
  });

  test('shows the server’s reason, or that there was no response, and keeps the address', async () => {
    const { page } = await visit(routePatterns.insights);
    const { field, button, alert, error, status } = findBox(page);
    await field.fill('refused@example.org');

    await page.route(CALL, (route) => route.fulfill(makeProblem(429, 'Too many requests.')));
    await button.click();
    await eventually(() => alert.innerText()).toBe('Too many requests.');
    expect(await hasFocus(alert)).toBe(true);
    expect(await findViolations(page)).toEqual([]);

    await page.route(CALL, (route) => route.abort('connectionreset'));
    await button.click();
    await eventually(() => alert.innerText()).toBe(newsletterMessages.noResponse);

    const refused = makeProblem(400, 'Check.', { email: 'Another address, please.' });
    await page.route(CALL, (route) => route.fulfill(refused));
    await button.click();
    await eventually(() => error.innerText()).toBe('Another address, please.');
    expect(await alert.count()).toBe(0);
    expect(await field.inputValue()).toBe('refused@example.org');

    await page.unroute(CALL);
    await button.click();
    await status.waitFor();
    expect(await findRow('refused@example.org')).toBeDefined();
  });
});

test('the page that a mail links to is accessible, and its button works with the keyboard', async () => {
  const email = 'linked@example.org';
  const [row] = await openTestDatabase()('newsletter_subscriptions').insert({ email }).returning('id');
  const token = signLinkToken('newsletter-confirm', row?.id ?? '', [COOKIE_SECRET]);

  const { page, reportedErrors } = await site.visit(pathTo.newsletterConfirmation(token));
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Confirm' }).press('Enter');
  await page.getByRole('heading', { name: 'You are subscribed' }).waitFor();
  expect(await page.locator('main a[href="/contact"]').isVisible()).toBe(true);
  expect(await findRow(email)).toMatchObject({ confirmed_at: expect.any(Date) });
  expect(reportedErrors).toEqual([]);
});
