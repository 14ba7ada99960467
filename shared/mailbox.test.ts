import { expect, test } from 'vitest';
import { makeMailtoUrl, parseMailAddress } from './mailbox.ts';

test.each([
  ['site@example.com', 'site@example.com'],
  ['The Site <site@example.com>', 'site@example.com'],
  ['<site@example.com> ', 'site@example.com'],
])('the address in %j is %j', (mailbox, address) => {
  expect(parseMailAddress(mailbox)).toBe(address);
});

test.each([
  ['ada@example.org', 'mailto:ada@example.org'],
  ['Ada <ada@example.org>', 'mailto:ada@example.org'],
  ['a?bcc=b&c@example.org', 'mailto:a%3Fbcc%3Db%26c@example.org'],
])('the mailto URL of %j is %j, without header injection', (mailbox, url) => {
  expect(makeMailtoUrl(mailbox)).toBe(url);
});
