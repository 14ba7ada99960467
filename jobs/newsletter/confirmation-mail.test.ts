import { expect, test } from 'vitest';
import { renderHtml } from '../../shared/node/mail/render-html.ts';
import { renderText } from '../../shared/node/mail/render-mail.ts';
import { writeConfirmationMail } from './send-confirmation.ts';

const mail = writeConfirmationMail({
  siteName: 'A & B',
  publicUrl: 'https://www.example.com',
  confirmUrl: 'https://www.example.com/newsletter/confirm/one',
  unsubscribeUrl: 'https://www.example.com/newsletter/unsubscribe/two',
});

test('the mail explains how to confirm, ignore and unsubscribe', () => {
  const text = renderText(mail);

  expect(mail.subject).toBe('[A & B] Please confirm your subscription');
  for (const part of [
    'the A & B newsletter on\nhttps://www.example.com.',
    '\n\nConfirm your subscription: https://www.example.com/newsletter/confirm/one\n\n',
    'If it was not you, ignore this email',
    '\n\nUnsubscribe: https://www.example.com/newsletter/unsubscribe/two\n',
  ]) {
    expect(text).toContain(part);
  }
  expect(text).not.toMatch(/\n{3}/);
});

test('the HTML part has both links and no empty table', () => {
  const html = renderHtml(mail);

  expect(html).toContain('href="https://www.example.com/newsletter/confirm/one"');
  expect(html).toContain('href="https://www.example.com/newsletter/unsubscribe/two"');
  expect(html).toContain('the A &amp; B newsletter');
  expect(html).not.toMatch(/<table[^>]*>\s*<\/table>/);
});
