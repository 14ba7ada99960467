import type { Page } from 'playwright-core';
import { createDatabase } from '../../shared/node/database/database.ts';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { apiPaths, insightsQuery, pathTo, routePatterns } from '../../shared/paths.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { articles } from '../support/site-content.ts';
import { findMenu } from './find-menu.ts';
import { enlargeText } from './serve-site.ts';

/** Widths of screens, in CSS pixels, that every page and state is looked at. */
export const widths = [1440, 768, 390] as const;

export type Width = (typeof widths)[number];

/** Signs the links of mails. */
export const COOKIE_SECRET = 's'.repeat(32);

/** A page as a visitor finds it after doing something. */
export interface State {
  readonly name: string;
  readonly path: string;
  /** Where the state exists; every width unless given. */
  readonly widths?: readonly Width[];
  /** Selector of what differs from the page itself; the whole page unless given. */
  readonly part?: string;
  readonly hasScripts?: boolean;
  /** What the visitor does, until the result is to be seen. */
  readonly reach?: (page: Page) => Promise<unknown>;
}

const times = { received: new Date('2026-11-03T09:00:00Z'), later: new Date('2026-11-04T10:30:00Z') };

const request = {
  name: 'Ada Example',
  email: 'ada@example.org',
  company: 'Example Sweets',
  phone: '+1 555 0100',
  industry: 'retail-ecommerce',
  message: 'We spend Mondays retyping invoices.\nCan that end?',
  submitted_at: times.received,
  received_at: times.received,
};
const held = { ...request, quarantined_at: times.received, quarantine_reason: 'honeypot,too-fast' };

/** The same in every run: requests that came at the same time are listed by it. */
const makeId = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** Rows of the database, by what they are in. */
const submissions = {
  open: { ...request, id: makeId(1) },
  contacted: { ...request, id: makeId(2), contacted_at: times.later },
  held: { ...held, id: makeId(3) },
  spam: { ...held, id: makeId(4), spam_at: times.later },
  released: { ...request, id: makeId(5), released_at: times.later },
};
const subscriptions = {
  asked: { id: makeId(6), email: 'asked@example.org' },
  confirmed: { id: makeId(7), email: 'confirmed@example.org', confirmed_at: times.received },
  ended: {
    id: makeId(8),
    email: 'ended@example.org',
    confirmed_at: times.received,
    unsubscribed_at: times.later,
  },
};

/** Writes what the pages behind the links of mails are about. */
export async function insertRows(databaseUrl: string): Promise<void> {
  const database = createDatabase(databaseUrl, 'test');
  await database('contact_submissions').insert(Object.values(submissions));
  await database('newsletter_subscriptions').insert(Object.values(subscriptions));
  await database.destroy();
}

const sign = (purpose: Parameters<typeof signLinkToken>[0], { id }: { readonly id: string }) =>
  signLinkToken(purpose, id, [COOKIE_SECRET]);
const followUpTo = (row: keyof typeof submissions) => pathTo.followUp(sign('follow-up', submissions[row]));
const heldRequestTo = (row: keyof typeof submissions) => pathTo.heldRequest(sign('held', submissions[row]));
const confirmationTo = (row: keyof typeof subscriptions) =>
  pathTo.newsletterConfirmation(sign('newsletter-confirm', subscriptions[row]));
const unsubscriptionTo = (row: keyof typeof subscriptions) =>
  pathTo.newsletterUnsubscription(sign('newsletter-unsubscribe', subscriptions[row]));

const openMenu = (label: string) => (page: Page) => findMenu(page, label).locator('> summary').press('Enter');

const menuPanel = 'header details[open] > div';
const contactForm = 'main form';
/** What stands in its place once it is sent. */
const sentRequest = 'main div:has(> div[role=status])';
const gate = 'section[aria-label=Articles]';
const newsletterBox = '#newsletter';
const submitContact = (page: Page) => page.locator(`${contactForm} [type=submit]`).click();

async function fillInContact(page: Page, email: string): Promise<void> {
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill(email);
  await page.getByLabel('Company Name').fill('Example Sweets');
}

async function sendPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Unlock Content' }).click();
}

async function unlock(page: Page): Promise<void> {
  await sendPassword(page, PASSWORD);
  await page.getByRole('searchbox', { name: 'Search' }).waitFor();
}

/** Unlocks the listing, and searches it until it has a heading. */
const search = (words: string, heading: string) => async (page: Page) => {
  await unlock(page);
  await page.getByRole('searchbox', { name: 'Search' }).fill(words);
  await page.getByRole('heading', { name: heading, exact: true }).waitFor();
};

const nowhere = '/nope';
const lockedInsights = `${routePatterns.insights}?${insightsQuery.unlock}=1`;
const article = pathTo.article(articles[0]?.slug ?? '');
const narrow = [768, 390] as const;

export const states: readonly State[] = [
  { name: 'not-found', path: nowhere },
  { name: 'skip-link', path: nowhere, part: 'header', reach: (page) => page.keyboard.press('Tab') },
  { name: 'menu-solutions', path: nowhere, part: menuPanel, widths: [1440], reach: openMenu('Solutions') },
  { name: 'menu-industries', path: nowhere, part: menuPanel, widths: [1440], reach: openMenu('Industries') },
  { name: 'menu', path: nowhere, part: menuPanel, widths: narrow, reach: openMenu('Menu') },
  {
    name: 'menu-with-solutions',
    path: nowhere,
    part: menuPanel,
    widths: narrow,
    reach: async (page) => {
      await openMenu('Menu')(page);
      await openMenu('Solutions')(page);
    },
  },
  {
    name: 'home-another-step',
    path: routePatterns.home,
    part: 'section:has(details[open])',
    reach: (page) => page.locator('main summary').last().press('Enter'),
  },
  {
    name: 'home-without-pictures',
    path: routePatterns.home,
    part: 'main',
    reach: async (page) => {
      await page.route(/\.(avif|webp|jpg)$/, (route) => route.abort());
      await page.reload();
      await page.getByText('Image failed to load').first().waitFor();
    },
  },
  {
    name: 'article-contents',
    path: article,
    widths: narrow,
    part: 'article nav:has(> details)',
    reach: (page) => page.locator('article nav > details > summary').press('Enter'),
  },
  { name: 'article-on-paper', path: article, widths: [768], reach: (page) => page.emulateMedia({ media: 'print' }) },
  {
    name: 'contact-with-an-industry',
    path: pathTo.contact({ industry: 'healthcare' }),
    part: 'main aside',
  },
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
      const problem = { type: 'about:blank', title: 'x', status: 503, detail: 'Please try again.', code: 'x' };
      await page.route(`**${apiPaths.contactSubmissions}`, (route) => route.fulfill({ status: 503, json: problem }));
      await fillInContact(page, 'ada@example.org');
      await submitContact(page);
      await page.getByText('Please try again.').waitFor();
    },
  },
  { name: 'contact-sent', path: pathTo.contact({ sent: true }), part: sentRequest },
  {
    name: 'contact-button-with-focus',
    path: routePatterns.contact,
    part: contactForm,
    widths: [1440],
    reach: async (page) => {
      await page.getByLabel('Message').focus();
      await page.keyboard.press('Tab');
    },
  },
  {
    name: 'contact-in-large-text',
    path: routePatterns.contact,
    part: contactForm,
    reach: enlargeText,
  },
  { name: 'insights-password', path: lockedInsights, part: gate },
  {
    name: 'insights-wrong-password',
    path: lockedInsights,
    part: gate,
    reach: async (page) => {
      await sendPassword(page, 'wrong');
      await page.getByRole('alert').waitFor();
    },
  },
  {
    name: 'insights-wrong-password-without-scripts',
    path: lockedInsights,
    part: gate,
    hasScripts: false,
    reach: async (page) => {
      await sendPassword(page, 'wrong');
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'insights-open', path: lockedInsights, part: gate, reach: unlock },
  { name: 'insights-found', path: lockedInsights, part: gate, reach: search('hipaa', 'Results') },
  { name: 'insights-nothing-found', path: lockedInsights, part: gate, reach: search('nothing has this', 'Nothing found') },
  {
    name: 'insights-empty-category',
    path: lockedInsights,
    part: gate,
    reach: async (page) => {
      await unlock(page);
      // To choose an option doesn't bring the focus to the field, which wakes the page.
      await page.getByLabel('Category').focus();
      await page.getByLabel('Category').selectOption('Manufacturing');
      await page.getByRole('heading', { name: 'No articles in Manufacturing yet' }).waitFor();
    },
  },
  {
    name: 'newsletter-with-an-error',
    path: routePatterns.insights,
    part: newsletterBox,
    reach: async (page) => {
      await page.locator(`${newsletterBox} [type=submit]`).click();
      await page.getByText('Enter your email address.').waitFor();
      // Its outline was rendered a fraction of a pixel apart in one of three runs.
      await page.locator(`${newsletterBox} :focus`).blur();
    },
  },
  {
    name: 'newsletter-asked-for',
    path: `${routePatterns.insights}?${insightsQuery.subscribed}=1`,
    part: newsletterBox,
  },
  { name: 'newsletter-confirmation', path: confirmationTo('asked'), part: 'main' },
  { name: 'newsletter-confirmed', path: confirmationTo('confirmed'), part: 'main' },
  { name: 'newsletter-unsubscription', path: unsubscriptionTo('confirmed'), part: 'main' },
  { name: 'newsletter-unsubscribed', path: unsubscriptionTo('ended'), part: 'main' },
  { name: 'follow-up', path: followUpTo('open'), part: 'main' },
  { name: 'follow-up-contacted', path: followUpTo('contacted'), part: 'main' },
  { name: 'held-request', path: heldRequestTo('held'), part: 'main' },
  { name: 'held-request-spam', path: heldRequestTo('spam'), part: 'main' },
  { name: 'held-request-released', path: heldRequestTo('released'), part: 'main' },
];
