import { expect, test } from 'vitest';
import { readMailAddress, toMailtoUrl } from './mailbox.ts';

test.each([
  ['site@example.com', 'site@example.com'],
  ['The Site <site@example.com>', 'site@example.com'],
  ['<site@example.com> ', 'site@example.com'],
])('the address of %j is %j', (mailbox, address) => {
  expect(readMailAddress(mailbox)).toBe(address);
});

test('nothing in an address adds a header to its mailto URL', () => {
  expect(toMailtoUrl('Ada <ada@example.org>')).toBe('mailto:ada@example.org');
  expect(toMailtoUrl('a?bcc=b&c@example.org')).toBe('mailto:a%3Fbcc%3Db%26c@example.org');
});
