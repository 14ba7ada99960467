import { expect, test } from 'vitest';
import { mapKinds } from '../../deliveries/delivery.ts';
import { loadConfig } from './config.ts';
import { computeBackoff, getRateLimits, productionTimings } from './timings.ts';

const smtp = { SMTP_URL: 'smtp://mail.example.com' };

test.each([
  ['unset and SMTP', smtp, 1_000],
  ['unset and no SMTP', {}, undefined],
  ['1/s', { ...smtp, MAIL_RATE: '1/s' }, 1_000],
  ['10/m', { ...smtp, MAIL_RATE: '10/m' }, 6_000],
  ['5/1s and no SMTP', { MAIL_RATE: '5/1s' }, 200],
  ['above a thousand a second', { ...smtp, MAIL_RATE: '9999/s' }, 1],
])('with MAIL_RATE %s, mails have the expected rate limit, and exports have their own', (_what, settings, duration) => {
  const { mail } = loadConfig({ DATABASE_URL: 'postgres://localhost/example', ...settings });

  const mails = duration === undefined ? undefined : { max: 1, duration };
  expect(getRateLimits(productionTimings, mail)).toEqual({
    ...mapKinds(() => mails),
    'crm-export': { max: 1, duration: 1_000 },
    chat: { max: 1, duration: 1_000 },
  });
});

const backOff = { first: 30_000, cap: 3_600_000 };

test('the delay doubles with every attempt up to the cap, minus a random share of at most a quarter', () => {
  const waits = [1, 2, 3, 8, 100].map((attempts) => computeBackoff(attempts, backOff, () => 0));

  expect(waits).toEqual([30_000, 60_000, 120_000, 3_600_000, 3_600_000]);
  expect(computeBackoff(1, backOff, () => 1)).toBe(22_500);
});
