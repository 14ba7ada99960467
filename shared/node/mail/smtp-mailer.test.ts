import { expect, test } from 'vitest';
import { readSmtpUrl } from './smtp-mailer.ts';

test.each([
  ['smtps://mail.example.com', { port: 465, secure: true, requireTLS: false, ignoreTLS: false }],
  ['smtp://mail.example.com', { port: 587, secure: false, requireTLS: true, ignoreTLS: false }],
  ['smtp://mail.example.com:25?ignoreTLS=true', { port: 25, requireTLS: false, ignoreTLS: true }],
  ['smtp://localhost:1025', { port: 1025, requireTLS: false, ignoreTLS: true }],
  ['smtp://127.0.0.1', { port: 587, requireTLS: false, ignoreTLS: true }],
  ['smtp://[::1]:2525', { host: '::1', port: 2525, ignoreTLS: true }],
  ['smtps://127.0.0.1?ignoreTLS=true', { secure: true, ignoreTLS: false }],
])('%s follows the TLS rules', (url, expected) => {
  expect(readSmtpUrl(url)).toMatchObject(expected);
});

test('user and password are decoded', () => {
  expect(readSmtpUrl('smtps://site%40example.com:p%3Ass@mail.example.com').auth).toEqual({
    user: 'site@example.com',
    pass: 'p:ss',
  });
});
