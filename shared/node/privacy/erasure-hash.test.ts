import { expect, test } from 'vitest';
import { listAddressForms, makeErasureKeys, normalizeAddress } from './erasure-hash.ts';

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

test('an address is the same in any case, composition and script of its domain', () => {
  const forms = [' Ada@CAFE\u0301.example ', 'ada@caf\u00e9.example', 'ADA@XN--CAF-DMA.example'];
  expect(forms.map(normalizeAddress)).toEqual(forms.map(() => 'ada@xn--caf-dma.example'));
  expect(normalizeAddress('ada@cafe.example')).toBe('ada@cafe.example');
});

test('hashes of the version before, which were of the address as it was typed, are found by either form', () => {
  for (const typed of ['ada@caf\u00e9.example', 'ada@xn--caf-dma.example']) {
    expect([...listAddressForms(typed)].sort()).toEqual(['ada@caf\u00e9.example', 'ada@xn--caf-dma.example']);
  }
  expect(listAddressForms('Ada@Example.org')).toEqual(['ada@example.org']);
  // What is no domain is compared as it is.
  expect(listAddressForms('Ada@xn--\u00e9 \u00e9')).toEqual(['ada@xn--\u00e9 \u00e9']);
});
