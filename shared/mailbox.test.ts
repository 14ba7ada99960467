import { expect, test } from 'vitest';
import { readMailAddress } from './mailbox.ts';

test.each([
  ['site@example.com', 'site@example.com'],
  ['The Site <site@example.com>', 'site@example.com'],
  ['<site@example.com> ', 'site@example.com'],
])('the address of %j is %j', (mailbox, address) => {
  expect(readMailAddress(mailbox)).toBe(address);
});
