import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { newsletterMessages } from '../../shared/newsletter/newsletter-messages.ts';
import { apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { holdRequests } from './hold-requests.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();

async function fillInContact(page: Page): Promise<void> {
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill('Waiting');
}

const refusal = {
  status: 503,
  contentType: 'application/problem+json',
  body: JSON.stringify({ type: 'about:blank', title: 'x', status: 503, detail: 'Later.', code: 'x' }),
};

test.each([
  {
    form: 'the contact form',
    path: routePatterns.contact,
    part: '[id=request]',
    call: apiPaths.contactSubmissions,
    text: contactMessages.submitting,
    fillIn: fillInContact,
  },
  {
    form: 'the newsletter box',
    path: routePatterns.insights,
    part: '#newsletter',
    call: apiPaths.newsletterSubscriptions,
    text: newsletterMessages.submitting,
    fillIn: (page: Page) => page.getByLabel('Email address').fill('ada@example.org'),
  },
  {
    form: 'the form for the password',
    path: `${routePatterns.insights}?${insightsQuery.unlock}=1`,
    part: 'section[aria-label=Articles]',
    call: apiPaths.insightsSession,
    text: 'Checking…',
    fillIn: (page: Page) => page.getByLabel('Password', { exact: true }).fill('wrong'),
  },
])('that $form is on its way is read out once', async ({ path, part, call, text, fillIn }) => {
  const { page } = await site.visit(path);
  const region = page.locator(part);
  const status = region.getByRole('status');
  const letGo = await holdRequests(page, `**${call}`, (route) => route.fulfill(refusal));
  await fillIn(page);
  // A screen reader reads changes in an element that it knows.
  const known = await status.elementHandle();
  expect(await status.textContent()).toBe('');

  await region.locator('form [type=submit]').press('Enter');
  await eventually(() => known?.textContent()).toBe(text);
  expect(await status.count()).toBe(1);
  // Screen readers announce a busy element only once it is not busy.
  expect(await known?.evaluate((element) => element.closest('[aria-busy=true], [disabled]'))).toBeNull();
  letGo();
  await region.getByRole('alert').waitFor();
  expect(await known?.textContent()).toBe('');
});
