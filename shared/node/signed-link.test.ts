import { expect, test } from 'vitest';
import { Day } from '../time.ts';
import { readFollowUpToken, signFollowUpToken } from './signed-link.ts';

const id = '0198b7f0-6a3c-7c1e-9d52-3f0a6c1d2e4b';
const [oldSecret, newSecret] = ['o'.repeat(32), 'n'.repeat(32)];
const now = Date.UTC(2025, 10, 3);

test('a token names its submission for ninety days', () => {
  const token = signFollowUpToken(id, [oldSecret], now);

  expect(readFollowUpToken(token, [oldSecret], now)).toBe(id);
  expect(readFollowUpToken(token, [oldSecret], now + 90 * Day)).toBe(id);
  expect(readFollowUpToken(token, [oldSecret], now + 91 * Day)).toBeUndefined();
});

test('a token stays valid while its secret is one of those in use', () => {
  const token = signFollowUpToken(id, [oldSecret], now);

  expect(readFollowUpToken(token, [newSecret, oldSecret], now)).toBe(id);
  expect(readFollowUpToken(token, [newSecret], now)).toBeUndefined();
});

test('a changed, shortened or invented token names nothing', () => {
  const token = signFollowUpToken(id, [oldSecret], now);

  for (const forged of [
    token.replace('0198', '0199'),
    token.slice(0, -1),
    `${token}0`,
    token.toUpperCase(),
    '',
    `${id}..`,
  ]) {
    expect(readFollowUpToken(forged, [oldSecret], now)).toBeUndefined();
  }
});
