import { expect, test } from 'vitest';
import { makeUuid } from './make-uuid.ts';

test('an id carries the version and variant of a random UUID', () => {
  expect(makeUuid(new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000');
  expect(makeUuid(new Uint8Array(16).fill(0xff))).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff');
});

test('two ids differ', () => {
  expect(makeUuid()).not.toBe(makeUuid());
});
