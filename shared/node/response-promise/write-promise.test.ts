import { expect, test } from 'vitest';
import { writeSuccess } from '../../contact/contact-schema.ts';
import { makeStaticPageMeta } from '../../content/static-pages.ts';
import { loadConfig } from '../config/config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

const readPromise = (settings: Record<string, string>) =>
  loadConfig({ DATABASE_URL, ...settings }).site.businessPromise;

test.each([
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '8h' }, 'within 8 business hours', '(Mon–Fri 09:00–17:00, UTC)'],
  [{ BUSINESS_HOURS: 'Mon-Thu 08:00-18:00, Fri 08:00-15:00', FOLLOW_UP_AFTER: '1h', TIME_ZONE: 'Europe/Vienna' }, 'within 1 business hour', '(Mon–Thu 08:00–18:00, Fri 08:00–15:00, Europe/Vienna)'],
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '90m' }, 'within 90 business minutes', '(Mon–Fri 09:00–17:00, UTC)'],
  [{ BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '2d' }, 'within 48 business hours', '(Mon–Fri 09:00–17:00, UTC)'],
])('%j is promised in these words', (settings, short, hours) => {
  expect(readPromise(settings)).toEqual({ short, full: `${short} ${hours}` });
});

test('without business hours every sentence is the specification’s, whatever the durations are', () => {
  const { site } = loadConfig({ DATABASE_URL, FOLLOW_UP_AFTER: '48h' });

  expect(site).not.toHaveProperty('businessPromise');
  expect(writeSuccess(site)).toBe(
    "Congratulations! Your assessment request has been submitted successfully. We'll be in touch within 24 hours to schedule your free consultation.",
  );
  expect(makeStaticPageMeta(site).contact.description).toMatch(/We answer within 24 hours\.$/);
});

test('with them the page’s description and the success name them', () => {
  const { site } = loadConfig({ DATABASE_URL, BUSINESS_HOURS: 'Mon-Fri 09:00-17:00', FOLLOW_UP_AFTER: '8h' });

  expect(makeStaticPageMeta(site).contact.description).toMatch(/We answer within 8 business hours\.$/);
  expect(writeSuccess(site)).toContain(
    "We'll be in touch within 8 business hours (Mon–Fri 09:00–17:00, UTC) to schedule your free consultation.",
  );
});
