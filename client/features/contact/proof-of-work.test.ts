import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { deriveKey as deriveKeyOnServer } from 'altcha-lib/algorithms/sha';
import { deriveKey, hashSha256 } from './proof-of-work.ts';

test.each([0, 1, 32, 36, 55, 56, 63, 64, 65, 119, 120, 1_000])(
  'the hash of %i bytes is the one Node computes',
  (length) => {
    const data = Uint8Array.from({ length }, (_, index) => (index * 37) % 256);

    expect(Buffer.from(hashSha256(data)).toString('hex')).toBe(
      createHash('sha256').update(data).digest('hex'),
    );
  },
);

test('a key is derived as the server derives it', async () => {
  const parameters = {
    algorithm: 'SHA-256',
    cost: 100,
    keyLength: 32,
    keyPrefix: '00',
    nonce: '',
    salt: '',
  };
  const [salt, password] = [new Uint8Array(16).fill(3), new Uint8Array(20).fill(200)];
  const here = await deriveKey(parameters, salt, password);
  const there = await deriveKeyOnServer(parameters, salt, password);

  expect([...here.derivedKey]).toEqual([...there.derivedKey]);
});
