import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { honeypotName } from '../../shared/contact/spam-signals.ts';
import { apiPaths, routePatterns } from '../../shared/paths.ts';
import { waitUntilHydrated } from '../support/browser.ts';
import { openDatabase } from '../support/database.ts';
import { findViolations } from './find-violations.ts';
import { serveSite } from './serve-site.ts';
import { takeTime } from './take-time.ts';

const site = serveSite({ RATE_LIMIT_CONTACT: '1000/10m' });

const narrow = { viewport: { width: 320, height: 640 } };

async function send(page: Page, company: string): Promise<void> {
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill(company);
  await page.locator('main form button[type=submit]').click();
  await page.getByText(contactMessages.success).waitFor();
}

async function findRow(company: string) {
  const database = openDatabase(site.databaseUrl, onTestFinished);
  const row = await database('contact_submissions').where({ company }).first();
  if (!row) throw new Error(`Nothing of ${company} is stored.`);

  return row;
}

describe('the field for programs', () => {
  test('is invisible, not in the tab order and not read out, at 320 px', async () => {
    const { page } = await site.visit(routePatterns.contact, narrow);
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
});

test('a request that a person fills in is posted once, and not held', async () => {
  const company = 'Unhurried';
  const { page, reportedErrors } = await site.visit(routePatterns.contact, {
    prepare: (opened) => opened.clock.install(),
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.clock.fastForward(3_000);
  await send(page, company);

  expect((await findRow(company)).quarantine_reason).toBeNull();
  expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([apiPaths.contactSubmissions]);
  expect(reportedErrors).toEqual([]);
});

describe('where a visit came from', () => {
  const landing = '/about?utm_source=newsletter&utm_campaign=spring&email=ada%40example.org';
  const referer = 'http://news.example/search?q=secret';

  test('travels from the first page over others to the stored request', async () => {
    const { page } = await site.visit(landing, { referer });
    await page.locator('footer a[href="/privacy-policy"]').click();
    await page.getByRole('heading', { level: 1, name: 'Privacy Policy' }).waitFor();
    await page.locator('a[href="/contact"]:visible').first().click();
    await page.getByLabel('Full Name').waitFor();
    // A page with other campaign labels belongs to the same visit.
    await page.goto(`${site.origin}/contact?utm_source=other`, {
      referer: 'http://elsewhere.example/',
    });
    await waitUntilHydrated(page);
    await takeTime(page);
    await send(page, 'With a source');

    const row = await findRow('With a source');
    expect(row.source).toEqual({
      utm_source: 'newsletter',
      utm_campaign: 'spring',
      referrer: 'news.example',
      landing_path: '/about',
    });
    expect(row.visited_paths).toEqual(['/about', '/privacy-policy', '/contact']);
    expect(await page.evaluate(() => sessionStorage.getItem('visit'))).toContain('"paths":[]');
  });
});
