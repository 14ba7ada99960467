import { expect, test } from 'vitest';
import { writeSuccess } from '../../contact/contact-schema.ts';
import { makeStaticPageMeta } from '../../content/static-pages.ts';
import { loadConfig } from '../config/config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

const readSite = (settings: Record<string, string>) => loadConfig({ DATABASE_URL, ...settings }).site;

test.each([
  [{}, 'within 24 hours', ''],
  [{ FOLLOW_UP_AFTER: '1d' }, 'within 24 hours', ''],
  [{ FOLLOW_UP_AFTER: '2d' }, 'within 48 hours', ''],
  [{ FOLLOW_UP_AFTER: '1h' }, 'within 1 hour', ''],
  [{ FOLLOW_UP_AFTER: '90s' }, 'within 90 seconds', ''],
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '8h' }, 'within 8 business hours', ' (Mon–Fri 09:00–17:00, UTC)'],
  [{ BUSINESS_HOURS: 'Mon-Thu 08:00-18:00, Fri 08:00-15:00', FOLLOW_UP_AFTER: '1h', TIME_ZONE: 'Europe/Vienna' }, 'within 1 business hour', ' (Mon–Thu 08:00–18:00, Fri 08:00–15:00, Europe/Vienna)'],
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '90m' }, 'within 90 business minutes', ' (Mon–Fri 09:00–17:00, UTC)'],
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00' }, 'within 24 business hours', ' (Mon–Fri 09:00–17:00, UTC)'],
])('with %j, the page and the form promise an answer in the same words', (settings, short, hours) => {
  const site = readSite(settings);

  expect(makeStaticPageMeta(site).contact.description).toMatch(new RegExp(`We answer ${short}\\.$`));
  expect(writeSuccess(site)).toBe(
    `Congratulations! Your assessment request has been submitted successfully. We'll be in touch ${short}${hours} to schedule your free consultation.`,
  );
});
