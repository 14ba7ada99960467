import { expect, test } from 'vitest';
import { isDatabaseUnavailable } from './database.ts';

const makeError = (code: string) => Object.assign(new Error('failed'), { code });

test.each([
  ...['ECONNREFUSED', 'ETIMEDOUT', '08006', '08P01', '25006', '25P03', '25P04', '28P01', '3D000', '40001'],
  ...['40P01', '53100', '53300', '55P03', '57014', '57P01', '57P03', '58030'],
])('%s is temporary', (code) => {
  expect(isDatabaseUnavailable(makeError(code))).toBe(true);
});

test.each(['42703', '42P01', '42601', '42501', '22P02', '23505', '22021', '25P02', 'XX000', 'ENOENT'])(
  '%s is not temporary',
  (code) => {
    expect(isDatabaseUnavailable(makeError(code))).toBe(false);
  },
);
