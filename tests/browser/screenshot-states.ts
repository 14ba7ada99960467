import type { Page } from 'playwright-core';
import { createDatabase } from '../../shared/node/database/database.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, insightsQuery, pathTo, routePatterns } from '../../shared/paths.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { findMenu } from './find-menu.ts';
import { makeProblem } from './hold-requests.ts';

/** Screen widths at which every page and state is checked, in CSS pixels. */
export const widths = [1440, 390] as const;

export type Width = (typeof widths)[number];

/** The secret that signs the links in mails. */
export const COOKIE_SECRET = 's'.repeat(32);

/** A page, optionally after a visitor's action. */
export interface State {
  readonly name: string;
  readonly path: string;
  /** Selector for the part to compare. The default is the whole page. */
  readonly part?: string;
  /** Performs the visitor's action and waits until its result is visible. */
  readonly reach?: (page: Page) => Promise<unknown>;
}

const received = new Date('2026-11-03T09:00:00Z');

const request = {
  name: 'Ada Example',
  email: 'ada@example.org',
  company: 'Example Sweets',
  phone: '+1 555 0100',
  industry: 'retail-ecommerce',
  message: 'We spend Mondays retyping invoices.\nCan that end?',
  submitted_at: received,
  received_at: received,
};

/** Returns an id that is the same in every run, because requests received at the same time are listed by id. */
const makeId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

const openRequest = { ...request, id: makeId(1) };
const heldRequest = {
  ...request,
  id: makeId(2),
  quarantined_at: received,
  quarantine_reason: 'honeypot,too-fast',
};
const subscription = { id: makeId(3), email: 'asked@example.org' };

/** Stores the rows for the pages that mails link to. */
export async function insertRows(databaseUrl: string): Promise<void> {
  const database = createDatabase(databaseUrl, 'test');
  await database('contact_submissions').insert([openRequest, heldRequest]);
  await database('newsletter_subscriptions').insert(subscription);
  await database.destroy();
}

const sign = (purpose: Parameters<typeof signLinkToken>[0], { id }: { readonly id: string }) =>
  signLinkToken(purpose, id, [COOKIE_SECRET]);

const menuPanel = 'header details[open] > div';
const contactForm = 'main form';
/** The message that replaces the form after it is sent. */
const sentRequest = 'main div:has(> div[role=status])';
const gate = 'section[aria-label=Articles]';
const newsletterBox = '#newsletter';
const submitContact = (page: Page) => page.locator(`${contactForm} [type=submit]`).click();

async function sendPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Unlock Content' }).click();
}

async function unlock(page: Page): Promise<void> {
  await sendPassword(page, PASSWORD);
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
}

async function search(page: Page): Promise<void> {
  await unlock(page);
  await page.getByRole('searchbox', { name: 'Search' }).fill('hipaa');
  await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
}

const nowhere = '/nope';
const lockedInsights = `${routePatterns.insights}?${insightsQuery.unlock}=1`;

async function openMenus(page: Page): Promise<void> {
  const drawer = findMenu(page, 'Menu').locator('> summary');
  if (await drawer.isVisible()) await drawer.press('Enter');
  await findMenu(page, 'Solutions').locator('> summary').press('Enter');
}

/** Pages and states that together show every part of the design. */
export const states: readonly State[] = [
  { name: 'home', path: routePatterns.home },
  { name: 'about', path: routePatterns.about },
  { name: 'solutions-ai-transformation', path: pathTo.solution('ai-transformation') },
  { name: 'solutions-white-label-platform', path: pathTo.solution('white-label-platform') },
  { name: 'article', path: pathTo.article('ai-roi-measurement') },
  { name: 'privacy-policy', path: routePatterns.privacyPolicy },
  { name: 'not-found', path: nowhere },
  { name: 'menu', path: nowhere, part: menuPanel, reach: openMenus },
  { name: 'contact', path: routePatterns.contact },
  {
    name: 'contact-with-errors',
    path: routePatterns.contact,
    part: contactForm,
    reach: async (page) => {
      await page.getByLabel('Business Email').fill('nowhere');
      await submitContact(page);
      await page.getByText('Enter your full name.').waitFor();
    },
  },
  {
    name: 'contact-refused',
    path: routePatterns.contact,
    part: contactForm,
    reach: async (page) => {
      const problem = makeProblem(503, 'Please try again.');
      await page.route(`**${apiPaths.contactSubmissions}`, (route) => route.fulfill(problem));
      await page.getByLabel('Full Name').fill('Ada Example');
      await page.getByLabel('Business Email').fill('ada@example.org');
      await page.getByLabel('Company Name').fill('Example Sweets');
      await submitContact(page);
      await page.getByText('Please try again.').waitFor();
    },
  },
  { name: 'contact-sent', path: pathTo.contact({ sent: true }), part: sentRequest },
  { name: 'insights', path: routePatterns.insights },
  {
    name: 'insights-wrong-password',
    path: lockedInsights,
    part: gate,
    reach: async (page) => {
      await sendPassword(page, 'wrong');
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'insights-open', path: lockedInsights, part: gate, reach: unlock },
  { name: 'insights-found', path: lockedInsights, part: gate, reach: search },
  {
    name: 'newsletter-asked-for',
    path: `${routePatterns.insights}?${insightsQuery.subscribed}=1`,
    part: newsletterBox,
  },
  { name: 'newsletter-confirmation', path: pathTo.newsletterConfirmation(sign('newsletter-confirm', subscription)), part: 'main' },
  { name: 'follow-up', path: pathTo.followUp(sign('follow-up', openRequest)), part: 'main' },
  { name: 'held-request', path: pathTo.heldRequest(sign('held', heldRequest)), part: 'main' },
];
