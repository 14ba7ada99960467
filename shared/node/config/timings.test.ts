import { expect, test } from 'vitest';
import { loadConfig } from './config.ts';
import { getPaces, productionTimings } from './timings.ts';

const smtp = { SMTP_URL: 'smtp://mail.example.com' };

test.each([
  ['unset, by SMTP', smtp, 1_000],
  ['unset, as files', {}, 0],
  ['1/s', { ...smtp, MAIL_RATE: '1/s' }, 1_000],
  ['10/m', { ...smtp, MAIL_RATE: '10/m' }, 6_000],
  ['5/1s, as files', { MAIL_RATE: '5/1s' }, 200],
  ['more than a thousand a second', { ...smtp, MAIL_RATE: '9999/s' }, 1],
])('with MAIL_RATE %s mails leave at their pace, and exports at theirs', (_what, settings, mails) => {
  const { mail } = loadConfig({ DATABASE_URL: 'postgres://localhost/example', ...settings });

  expect(getPaces(productionTimings, mail)).toEqual({
    'follow-up': mails,
    newsletter: mails,
    'crm-export': 1_000,
  });
});

test('a rate that is none stops the start', () => {
  const settings = { DATABASE_URL: 'postgres://localhost/example', MAIL_RATE: '1/fortnight' };

  expect(() => loadConfig(settings)).toThrow('MAIL_RATE must be a rate like 10/10m or 1/s');
});
