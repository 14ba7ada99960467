import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { openDatabase } from '../support/database.ts';
import { findViolations } from './find-violations.ts';
import { phone, serveSite } from './serve-site.ts';

const COOKIE_SECRET = 's'.repeat(32);
const site = serveSite({ COOKIE_SECRET, TIME_ZONE: 'Europe/Vienna' });

/** A request, and the path of its 'Mark as contacted' link. */
async function makeRequest(changes = {}) {
  const database = openDatabase(site.databaseUrl, onTestFinished);
  const id = randomUUID();
  await database('contact_submissions').insert({
    id,
    name: 'Zoë O’Neil',
    email: 'zoe@example.org',
    company: 'Neil & Daughters Confectionery',
    phone: '+1 555 0199',
    message: 'Plain words.',
    submitted_at: new Date('2026-11-03T09:00:00Z'),
    received_at: new Date('2026-11-03T09:00:00Z'),
    ...changes,
  });

  return { database, id, path: pathTo.followUp(signLinkToken('follow-up', id, [COOKIE_SECRET])) };
}

const screens = [
  ['desktop', { viewport: { width: 1440, height: 900 } }],
  ['tablet', { viewport: { width: 768, height: 1024 } }],
  ['phone', phone],
] as const;

test.each(screens)('on a %s the page shows whose request it is and by when to answer', async (_name, options) => {
  const { path } = await makeRequest();

  const { page, reportedErrors } = await site.visit(path, options);

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Neil & Daughters Confectionery');
  const facts = (await page.locator('main dl').innerText()).replace(/\s+/g, ' ');
  expect(facts).toContain('Name Zoë O’Neil');
  expect(facts).toContain('Received Tuesday, November 3, 2026 at 10:00 AM GMT+1 (Europe/Vienna)');
  expect(facts).toContain('Answer by Wednesday, November 4, 2026 at 10:00 AM GMT+1 (Europe/Vienna)');
  const html = await page.content();
  for (const personal of ['zoe@example.org', '555 0199', 'Plain words']) expect(html).not.toContain(personal);
  const width = page.viewportSize()?.width ?? 0;
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  expect(await findViolations(page)).toEqual([]);
  expect(reportedErrors).toEqual([]);
});

test('the button marks the request, and pressing it again shows the same', async () => {
  const { database, id, path } = await makeRequest();
  const first = await site.visit(path);
  const second = await site.visit(path);
  const done = /Marked as contacted on \w+day, .* \(Europe\/Vienna\)\. No further mail/;

  await first.page.getByRole('button', { name: 'Mark as contacted' }).click();
  const message = await first.page.getByText(done).textContent();
  const marked = await database('contact_submissions').where({ id }).first();
  await second.page.getByRole('button', { name: 'Mark as contacted' }).click();

  expect(await second.page.getByText(done).textContent()).toBe(message);
  expect(await second.page.getByRole('button', { name: 'Mark as contacted' }).count()).toBe(0);
  expect(await findViolations(second.page)).toEqual([]);
  const again = await database('contact_submissions').where({ id }).first();
  expect(again?.contacted_at).toEqual(marked?.contacted_at);
});

test('opening the link marks nothing, and the button works without JavaScript', async () => {
  const { database, id, path } = await makeRequest();

  const { page } = await site.visit(path, { javaScriptEnabled: false });
  expect((await database('contact_submissions').where({ id }).first())?.contacted_at).toBeNull();
  await page.getByRole('button', { name: 'Mark as contacted' }).click();
  await page.getByText('Marked as contacted').waitFor();

  expect((await database('contact_submissions').where({ id }).first())?.contacted_at).not.toBeNull();
});

test.each(screens)('on a %s the page shows that a mail is being sent', async (_name, options) => {
  const { database, id, path } = await makeRequest();
  await database('deliveries').insert({
    ...{ submission_id: id, kind: 'follow-up', stage: 'reminder', due_at: new Date() },
    ...{ state: 'leased', lease_token: randomUUID(), lease_until: new Date(Date.now() + 60_000) },
    handed_over_at: new Date(),
  });

  const { page } = await site.visit(path, options);
  await page.getByRole('button', { name: 'Mark as contacted' }).click();
  await page.getByText('is being sent right now and can’t be stopped').waitFor();

  expect(await findViolations(page)).toEqual([]);
});

test('the link of an erased request leads nowhere', async () => {
  const { path } = await makeRequest({ anonymised_at: new Date() });

  expect((await site.visit(path)).status).toBe(404);
});
