import { expect, test } from 'vitest';
import { Day } from '../../shared/time.ts';
import { createGateCookie } from './gate-cookie.ts';

const settings = { password: 'a shared password', secrets: ['new '.repeat(8)], isHttps: false };
const cookie = createGateCookie(settings);
const NOW = Date.parse('2026-01-01T00:00:00Z');
const value = cookie.makeValue(NOW);

test('an unlock lasts 30 days', () => {
  expect(cookie.isValid(value, NOW)).toBe(true);
  expect(cookie.isValid(value, NOW + 30 * Day - 1)).toBe(true);
  expect(cookie.isValid(value, NOW + 30 * Day)).toBe(false);
});

test('another password ends every unlock', () => {
  expect(createGateCookie({ ...settings, password: 'another' }).isValid(value, NOW)).toBe(false);
});

test('another secret ends every unlock, unless the old one stays in the list', () => {
  const other = 'other'.repeat(8);

  expect(createGateCookie({ ...settings, secrets: [other] }).isValid(value, NOW)).toBe(false);
  expect(
    createGateCookie({ ...settings, secrets: [other, ...settings.secrets] }).isValid(value, NOW),
  ).toBe(true);
});

test.each([
  ['nothing', undefined],
  ['no text', ''],
  ['no signature', value.split('.')[0]],
  ['a later end under the same signature', value.replace(/^[^.]+/, (NOW + 365 * Day).toString(36))],
  ['another signature', `${value.slice(0, -3)}abc`],
  ['something else', 'a.b.c'],
])('%s unlocks nothing', (_what, forged) => {
  expect(cookie.isValid(forged, NOW)).toBe(false);
});

test('over HTTPS the cookie is bound to the host and to HTTPS', () => {
  expect(cookie).toMatchObject({ name: 'insights', options: { secure: false } });
  expect(createGateCookie({ ...settings, isHttps: true })).toMatchObject({
    name: '__Host-insights',
    options: { secure: true, httpOnly: true, path: '/', sameSite: 'lax' },
  });
});
