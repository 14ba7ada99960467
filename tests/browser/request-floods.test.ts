import { expect, onTestFinished, test } from 'vitest';
import { contactMessages } from '../../shared/contact/contact-schema.ts';
import { routePatterns } from '../../shared/paths.ts';
import { makeContactBody, postContact } from '../support/contact-request.ts';
import { openDatabase } from '../support/database.ts';
import { serveSite, waitForEver } from './serve-site.ts';

const NETWORK_LIMIT = 3;
/** Milliseconds: the work takes as long as the machine needs. */
const TIMEOUT = 60_000;
const site = serveSite({ RATE_LIMIT_CONTACT: '1/10m', TRUST_PROXY: '127.0.0.1' });

test('a visitor whose network sent many requests proves the work unnoticed, and is released', async () => {
  // The browser's address is 127.0.0.1.
  for (let count = 1; count <= NETWORK_LIMIT; count += 1) {
    await postContact(site.origin, makeContactBody(), `127.0.0.${count + 1}`);
  }
  const { page, reportedErrors } = await site.visit(routePatterns.contact, {
    prepare: async (opened) => {
      await waitForEver(opened);
      await opened.clock.install();
    },
  });
  await page.clock.fastForward(3_000);
  await page.getByLabel('Full Name').fill('Ada Example');
  await page.getByLabel('Business Email').fill('ada@example.org');
  await page.getByLabel('Company Name').fill('Patient Sweets');
  await page.locator('main form button[type=submit]').click();
  await page.getByText(contactMessages.success).waitFor({ timeout: TIMEOUT });

  const database = openDatabase(site.databaseUrl, onTestFinished);
  const rows = await database<{ id: string; company: string }>('contact_submissions').where({ company: 'Patient Sweets' });
  expect(rows).toEqual([
    expect.objectContaining({
      quarantined_at: null,
      quarantine_reason: 'network-rate',
      released_at: expect.any(Date) as Date,
    }),
  ]);
  const ids = rows.map(({ id }) => id);
  const deliveries = await database('deliveries').whereIn('submission_id', ids);
  expect(deliveries).toHaveLength(4);
  expect(reportedErrors).toEqual([]);
});
