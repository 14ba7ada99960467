import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { newsletterMessages } from '../../shared/newsletter/newsletter-messages.ts';
import { apiPaths, insightsQuery, routePatterns } from '../../shared/paths.ts';
import { holdRequests, makeProblem } from './hold-requests.ts';
import { eventually, serveSite } from './serve-site.ts';

const site = serveSite();

async function fillInContact(page: Page): Promise<void> {
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill('Waiting');
}

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
    form: 'the password form',
    path: `${routePatterns.insights}?${insightsQuery.unlock}=1`,
    part: 'section[aria-label=Articles]',
    call: apiPaths.insightsSession,
    text: 'Checking…',
    fillIn: (page: Page) => page.getByLabel('Password', { exact: true }).fill('wrong'),
  },
])('screen readers announce once that $form is being sent', async ({ path, part, call, text, fillIn }) => {
  const { page } = await site.visit(path);
  const region = page.locator(part);
  const status = region.getByRole('status');
  const release = await holdRequests(page, `**${call}`, (route) => route.fulfill(makeProblem(503, 'Later.')));
  await fillIn(page);
  // Screen readers announce only changes in elements that were already on the page.
  const announced = await status.elementHandle();
  expect(await status.textContent()).toBe('');

  await region.locator('form [type=submit]').press('Enter');
  await eventually(() => announced?.textContent()).toBe(text);
  expect(await status.count()).toBe(1);
  // Screen readers don't announce a busy element until it is no longer busy.
  expect(await announced?.evaluate((element) => element.closest('[aria-busy=true], [disabled]'))).toBeNull();
  release();
  await region.getByRole('alert').waitFor();
  expect(await announced?.textContent()).toBe('');
});
