import { expect, test } from 'vitest';
import { contactPage } from '#content/contact-page';
import { renderHtml } from '../../shared/node/mail/render-html.ts';
import { renderMail } from '../../shared/node/mail/render-mail.ts';
import { writeAcknowledgmentMail } from './send-acknowledgment.ts';

const context = {
  siteName: 'A & B',
  publicUrl: 'https://www.example.com',
  timeZone: 'Europe/Vienna',
  answerBy: new Date('2026-11-04T09:00:00Z'),
  replyTo: 'Sales <sales@example.com>',
  bookingUrl: undefined,
};
const mail = writeAcknowledgmentMail(context);

test('the mail gives the deadline in the configured time zone, the next steps, the deliverables and a contact', () => {
  const { subject, text } = renderMail(mail);

  expect(subject).toBe('[A & B] We have your request');
  for (const part of [
    'Thanks. We’ve received your request',
    'You’ll hear from us by: Wednesday, November 4, 2026 at 10:00 AM GMT+1 (Europe/Vienna)',
    'Questions:              sales@example.com',
    '1. We get in touch: We schedule your free consultation with you.',
    ...contactPage.deliverables.items.map((item) => `-  ${item}`),
    'replies reach a person',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toMatch(/\n{3}/);
  for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
});

test('the HTML part has the same lists, and its only link is a mailto link to sales', () => {
  const html = renderHtml(mail);

  expect([...html.matchAll(/<li /g)]).toHaveLength(5 + contactPage.deliverables.items.length);
  expect([...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    'mailto:sales@example.com',
  ]);
});

test('the mail links to the booking page, if there is one, with no personal data in the URL', () => {
  const bookingUrl = 'https://calendar.example.com/assessment';
  const { text, html } = renderMail(writeAcknowledgmentMail({ ...context, bookingUrl }));

  expect(text).toContain(`Pick a time yourself: ${bookingUrl}\n`);
  expect(html).toContain(`href="${bookingUrl}"`);
});
