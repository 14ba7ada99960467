import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { markReader, signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { openDatabase } from '../support/database.ts';
import { SITE_NAME } from '../support/site-content.ts';
import { findViolations } from './find-violations.ts';
import { eventually, phone, serveSite, withoutScripts } from './serve-site.ts';

const COOKIE_SECRET = 's'.repeat(32);
const site = serveSite({
  ...{ COOKIE_SECRET, TIME_ZONE: 'Europe/Vienna' },
  SALES_EMAIL: 'Anna <anna@sales.example>, ben@sales.example',
});

/** Stores a request. Only sales receives the link in `knownPath`. A reply may quote the link in `path`. */
async function makeRequest(changes = {}) {
  const database = openDatabase(site.databaseUrl, onTestFinished);
  const id = randomUUID();
  await database('contact_submissions').insert({
    id,
    name: 'Zoë O’Neil',
    // Each request has its own domain, because the page lists earlier requests from the same company.
    email: `zoe@${id}.example`,
    company: 'Neil & Daughters Confectionery',
    phone: '+1 555 0199',
    message: 'Plain words.',
    submitted_at: new Date('2026-11-03T09:00:00Z'),
    received_at: new Date('2026-11-03T09:00:00Z'),
    ...changes,
  });

  const token = signLinkToken('follow-up', id, [COOKIE_SECRET]);
  const mark = markReader(token, { address: null, isKnown: true }, [COOKIE_SECRET]);

  return { database, id, path: pathTo.followUp(token), knownPath: pathTo.followUp(token, mark) };
}

const visitPhone = site.shareTab(phone);

const facts = [
  'Name Zoë O’Neil',
  'Phone +1 555 0199',
  'Received Tuesday, November 3, 2026 at 10:00 AM GMT+1 (Europe/Vienna)',
  'Overdue since Wednesday, November 4, 2026 at 10:00 AM GMT+1 (Europe/Vienna)',
];

const openMore = (page: Page) => page.locator('main summary', { hasText: 'More' }).press('Enter');

test('the page shows the request and its four outcomes, and fits every screen', async () => {
  const { id, path } = await makeRequest();

  const { page, reportedErrors } = await visitPhone(path);

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Neil & Daughters Confectionery');
  expect(await page.title()).toBe(`Neil & Daughters Confectionery – Follow-up | ${SITE_NAME}`);
  const shown = (await page.locator('main dl').innerText()).replace(/\s+/g, ' ');
  for (const fact of [...facts, `Email zoe@${id}.example`]) expect(shown).toContain(fact);
  expect(await page.locator('main dl a').evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual([
    `mailto:zoe@${id}.example`,
    'tel:+15550199',
  ]);
  expect(await page.getByRole('banner').innerText()).toBe(SITE_NAME);
  expect(await page.locator('footer, nav, a[href="/contact"]').count()).toBe(0);
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual(['Message']);
  await openMore(page);
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    ...['I’ll take it', 'Remind me', 'Hand to a colleague', 'Not a fit', 'Message'],
  ]);
  const nine = '9:00 AM (Europe/Vienna)';
  for (const width of [1440, 768, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth), `${width} pixels`).toBeLessThanOrEqual(width);
    for (const shown of [
      page.getByText('Plain words.'),
      page.getByRole('button', { name: `Tomorrow at ${nine}` }),
      page.getByLabel(`On another day, at ${nine}`),
    ]) {
      expect(await shown.isVisible(), `${width} pixels`).toBe(true);
    }
  }
  expect(await findViolations(page)).toEqual([]);
  expect(reportedErrors).toEqual([]);
});

test('a whole request and its main button fit on one and a half phone screens', async () => {
  const received = new Date();
  const { path } = await makeRequest({
    message: `${'We retype supplier invoices from PDF into our books, and chase those that do not match. '.repeat(4)}\n\nWhat could be automated?`,
    industry: 'retail-ecommerce',
    source: { utm_source: 'newsletter', utm_campaign: 'autumn', referrer: 'search.example', landing_path: '/about' },
    visited_paths: JSON.stringify(['/about', '/contact']),
    submitted_at: received,
    received_at: received,
  });

  const { page } = await visitPhone(path);

  await page.setViewportSize({ width: 390, height: 844 });
  const bottoms = await page
    .locator('main button, main dl, main blockquote')
    .evaluateAll((parts) => parts.filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect().bottom + scrollY));
  expect(bottoms.length).toBeGreaterThan(2);
  expect(Math.max(...bottoms)).toBeLessThanOrEqual(844 * 1.5);
});

test('without scripts and with only the keyboard, a salesperson can identify themselves, snooze a request, undo that, and hand the request over', async () => {
  const { knownPath } = await makeRequest();
  const { page } = await site.visit(knownPath, withoutScripts);
  const press = async (role: 'link' | 'button', name: string) => {
    const control = page.getByRole(role, { name });
    await control.focus();
    await page.keyboard.press('Enter');
  };
  const status = page.getByRole('status');

  await press('link', 'anna@sales.example');
  await page.getByText('You are anna@sales.example.').waitFor();
  // The mail may have been forwarded.
  await press('link', 'Not you?');
  await press('link', 'anna@sales.example');
  await page.getByText('You are anna@sales.example.').waitFor();
  await openMore(page);
  await press('button', 'In 2 hours');
  await status.getByText('Snoozed. A reminder will be sent on').waitFor();
  await press('button', 'Undo ‘Snoozed’');
  await status.getByText(/^‘Snoozed’ was undone on \w+day, .* \(Europe\/Vienna\)\.$/).waitFor();
  await openMore(page);
  await page.getByLabel('Colleague (emailed right away)').fill('ben@sales.example');
  await press('button', 'Hand over');
  await status.getByText('Assigned to ben@sales.example.').waitFor();
  expect(await page.getByText('was undone').count()).toBe(0);
  const history = await page.getByRole('region', { name: 'What happened' }).getByRole('listitem').allInnerTexts();
  expect(history.map((entry) => entry.replace(/\w{3}, .*? \(Europe\/Vienna\)/g, 'TIME'))).toEqual([
    'TIME: Snoozed until TIME by anna@sales.example',
    'TIME: ‘Snoozed’ undone by anna@sales.example',
    'TIME: Handed over to ben@sales.example by anna@sales.example',
  ]);
});

test('one press of "Reply to …" opens the draft and marks the request as contacted, which can be undone', async () => {
  const { database, id, path } = await makeRequest();
  const readContacted = async () => (await database('contact_submissions').where({ id }).first())?.contacted_at;
  const { page, reportedErrors } = await site.visit(path);

  await page.getByRole('link', { name: 'Reply to Zoë' }).press('Enter');
  await page.getByRole('status').getByText('Marked as contacted.').waitFor();
  expect(await readContacted()).not.toBeNull();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Undo ‘Marked as contacted’' }).press('Enter');
  await page.getByText('was undone on').waitFor();

  expect(await readContacted()).toBeNull();
  // The link opens a mail program.
  expect(reportedErrors).toEqual([expect.stringMatching(`^asked mailto:zoe@${id}`)]);
});

test.each<[string, string, (page: Page, request: Awaited<ReturnType<typeof makeRequest>>) => Promise<unknown>]>([
  ['there is no response', 'The request isn’t marked yet.', (page) => page.route('**/follow-up/*', (route) => route.abort())],
  [
    ...(['a colleague was faster', 'A colleague settled this request'] as const),
    (_page, { database, id }) => database('contact_submissions').where({ id }).update({ contacted_at: database.fn.now() }),
  ],
])('pressing reply shows a message if %s', async (_what, words, prepare) => {
  const request = await makeRequest();
  const { page } = await site.visit(request.path);
  await prepare(page, request);

  await page.getByRole('link', { name: 'Reply to Zoë' }).press('Enter');

  await page.getByRole('alert').getByText(words).waitFor();
});

test('a salesperson enters an address once, takes requests with one press, and can change the address', async () => {
  const [first, second, third, last] = [await makeRequest(), await makeRequest(), await makeRequest(), await makeRequest()];
  const { page } = await site.visit(first.path);
  const reader = page.getByText('You are anna@sales.example.');

  await openMore(page);
  await page.getByLabel('Your email address').fill('Anna@sales.example');
  await page.getByRole('button', { name: 'Take it' }).click();
  await page.getByText('Assigned to someone in sales.').waitFor();
  await page.goto(site.origin + second.path);
  await page.getByRole('button', { name: 'I’ll take it' }).click();
  await page.getByText('Assigned to someone in sales.').waitFor();
  await page.goto(site.origin + third.knownPath);
  await reader.waitFor();
  await page.getByRole('button', { name: 'I’ll take it' }).click();
  await page.getByText('Assigned to anna@sales.example.').waitFor();
  await reader.waitFor();
  expect(await page.getByRole('button', { name: 'I’ll take it' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Not you?' }).click();
  await page.getByText('Who are you?').waitFor();
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);

  // The address was removed from SALES_EMAIL.
  await page.evaluate(() => localStorage.setItem('sales_reader', 'gone@sales.example'));
  await page.goto(site.origin + last.path);
  await page.getByRole('button', { name: 'I’ll take it' }).click();
  await page.getByText('Please enter your sales email address.').waitFor();
  // The message is in the document before its scripts run.
  await eventually(() => page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  const events = await first.database('submission_events').whereIn('submission_id', [first.id, second.id, third.id]);
  expect(events.map(({ what, by, details }) => [what, by, details.to])).toEqual(
    Array(3).fill(['assign', 'anna@sales.example', 'anna@sales.example']),
  );
});
