import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { signLinkToken } from '../../shared/node/mail/signed-action-link.ts';
import { pathTo } from '../../shared/paths.ts';
import { openDatabase } from '../support/database.ts';
import { SITE_NAME } from '../support/site-content.ts';
import { findViolations } from './find-violations.ts';
import { enlargeText, phone, readOverflow, serveSite } from './serve-site.ts';

const COOKIE_SECRET = 's'.repeat(32);
const site = serveSite({ COOKIE_SECRET, TIME_ZONE: 'Europe/Vienna' });

/** Stores a held request. */
async function holdRequest() {
  const database = openDatabase(site.databaseUrl, onTestFinished);
  const id = randomUUID();
  await database('contact_submissions').insert({
    id,
    name: 'Zoë <b>O’Neil</b>',
    email: 'zoe.o-neil+assessment@a-rather-long-company-name.example.org',
    company: 'Neil & Daughters Confectionery',
    phone: '+1 555 0199',
    industry: 'retail-ecommerce',
    message: `See https://evil.example/login\n<script>alert(1)</script>\n${'long'.repeat(60)}`,
    source: { utm_source: 'newsletter', landing_path: '/solutions/process-automation' },
    submitted_at: new Date('2026-11-03T09:00:00Z'),
    received_at: new Date('2026-11-03T09:00:00Z'),
    quarantined_at: new Date('2026-11-03T09:00:00Z'),
    quarantine_reason: 'honeypot,too-fast',
  });
  const read = () => database('contact_submissions').where({ id }).first();

  return { read, path: pathTo.heldRequest(signLinkToken('held', id, [COOKIE_SECRET])) };
}

const visitPhone = site.shareTab(phone);

test('the page for a long request says when the request will be erased, has no links, and fits every screen', async () => {
  const { path } = await holdRequest();

  const { page, reportedErrors } = await visitPhone(path);

  expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Neil & Daughters Confectionery');
  expect(await page.title()).toBe(`Neil & Daughters Confectionery – Held request | ${SITE_NAME}`);
  expect(await page.locator('main').getByText('will be erased on Thursday, December 3, 2026').count()).toBe(1);
  expect(await page.locator('main a').count()).toBe(0);
  const checkWidths = async () => {
    for (const width of [1440, 390, 320]) {
      await page.setViewportSize({ width, height: 900 });
      expect(await readOverflow(page)).toBe(0);
    }
  };
  await checkWidths();
  await enlargeText(page);
  await checkWidths();
  expect(await findViolations(page)).toEqual([]);
  expect(reportedErrors).toEqual([]);
});

test('with the keyboard, a request can be marked as spam and later released, and the page confirms both', async () => {
  const { read, path } = await holdRequest();
  const { page } = await visitPhone(path);
  const release = page.getByRole('button', { name: 'This is a request' });

  await release.focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Marked as spam on').waitFor();
  expect((await read())?.spam_at).not.toBeNull();
  expect(await page.getByRole('button', { name: 'This is spam' }).count()).toBe(0);
  expect(await findViolations(page)).toEqual([]);
  await release.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Released as a request on').waitFor();

  expect(await read()).toMatchObject({ quarantined_at: null, spam_at: null });
  expect(await page.locator('main').innerText()).toMatch(/Answer by\s+\w+day, /);
  expect(await page.locator('main').innerText()).not.toMatch(/zoe|0199|evil/);
  expect(await findViolations(page)).toEqual([]);
});
