import { expect, test } from 'vitest';
import { makeErasureKeys } from './erasure-store.ts';

const [first, second] = makeErasureKeys(['a'.repeat(32), 'b'.repeat(32)]);

test('the hash of a subject depends on the secret, the kind and the subject', () => {
  const hashes = [
    first?.hash('email', 'ada@example.org'),
    first?.hash('submission', 'ada@example.org'),
    first?.hash('email', 'bob@example.org'),
    second?.hash('email', 'ada@example.org'),
  ];
  expect(new Set(hashes).size).toBe(4);
  expect(makeErasureKeys(['a'.repeat(32)])[0]?.hash('email', 'ada@example.org')).toBe(hashes[0]);
  expect(first?.id).not.toBe(second?.id);
});
