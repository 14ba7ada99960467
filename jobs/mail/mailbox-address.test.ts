import { expect, test } from 'vitest';
import { normalizeAddress } from './mailbox-address.ts';

test.each([
  ['sales@example.com', 'sales@example.com'],
  ['The Sales <Sales@Example.COM>', 'sales@example.com'],
  ['sales@bücher.example', 'sales@xn--bcher-kva.example'],
  ['"two..dots"@example.com', 'two..dots@example.com'],
])('the address of %s is %s', (mailbox, address) => {
  expect(normalizeAddress(mailbox)).toBe(address);
});
