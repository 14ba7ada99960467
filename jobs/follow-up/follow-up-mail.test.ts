import { expect, test } from 'vitest';
import type { Submission } from '../../shared/node/contact/contact-submission-store.ts';
import { Hour } from '../../shared/time.ts';
import { renderHtml } from '../mail/render-html.ts';
import { renderText } from '../mail/render-text.ts';
import { writeFollowUpMail } from './follow-up-mail.ts';

const submission: Submission = {
  id: '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b',
  name: 'Ada <Example>',
  email: 'ada@example.org',
  company: 'Sweets & Sons',
  phone: null,
  industry: 'retail-ecommerce',
  message: '<script>alert(1)</script>\nSecond line',
  submittedAt: new Date('2025-11-03T09:00:00Z'),
  receivedAt: new Date('2025-11-03T09:00:02Z'),
  source: { utm_source: 'newsletter' },
  contactedAt: null,
  anonymisedAt: null,
  quarantinedAt: null,
  quarantineReason: null,
  releasedAt: null,
};

const context = {
  siteName: 'Praline',
  timeZone: 'Europe/Vienna',
  dueAfter: 24 * Hour,
  contactedUrl: 'https://example.com/follow-up/token',
};

test('the mail says who asked, when, and by when to answer in the configured time zone', () => {
  const text = renderText(writeFollowUpMail('new', submission, context));

  for (const part of [
    'Ada <Example>',
    'ada@example.org',
    'Sweets & Sons',
    'Retail & E-commerce',
    'newsletter',
    'Monday, November 3, 2025 at 10:00 AM',
    'Tuesday, November 4, 2025 at 10:00 AM',
    '> <script>alert(1)</script>\n> Second line',
    'Mark as contacted: https://example.com/follow-up/token',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toContain('Phone');
});

test('the HTML form escapes everything the visitor wrote', () => {
  const html = renderHtml(writeFollowUpMail('reminder', submission, context));

  expect(html).toContain('Ada &lt;Example&gt;');
  expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(html).not.toContain('<script');
});

test('the subject keeps to one line of at most eighty characters of the company', () => {
  const company = `A\u202e${'b'.repeat(100)}\r\nBcc: x@example.org`;
  const { subject } = writeFollowUpMail('due', { ...submission, company }, context);

  expect(subject).toBe(`[Praline] 24 h follow-up due: A ${'b'.repeat(78)}`);
});
