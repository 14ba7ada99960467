import { expect, test } from 'vitest';
import { parseNewsletterRequest } from './newsletter-request.ts';

test.each([
  [' Ada@Example.ORG\n', 'ada@example.org'],
  ['ada@MU\u0308NCHEN.example', 'ada@m\u00fcnchen.example'],
])('%j is parsed as the address %s', (given, email) => {
  expect(parseNewsletterRequest({ email: given, source: 'x' })).toEqual({ ok: true, value: { email } });
});

test.each([
  [undefined, 'Enter your email address.'],
  [{}, 'Enter your email address.'],
  [{ email: ' ' }, 'Enter your email address.'],
  [{ email: ['ada@example.org', 'eve@example.org'] }, 'Email address must be text.'],
  [{ email: 'ada@example' }, 'Enter a complete email address, like name@company.com.'],
  [
    { email: 'ada@example.org\r\nBcc: eve@example.org' },
    'Email address contains characters that can’t be used.',
  ],
  [
    { email: `ada@${'a.'.repeat(130)}org` },
    'Email address can be at most 254 characters long.',
  ],
  // Each letter becomes two in lower case, which makes this label too long.
  [{ email: `ada@${'\u0130'.repeat(63)}.example` }, 'Enter a complete email address, like name@company.com.'],
])('%j is rejected with its error', (body, error) => {
  expect(parseNewsletterRequest(body)).toEqual({ ok: false, errors: { email: error } });
});
