import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Hour, Minute } from '../../time.ts';
import { ConfigError, loadConfig } from './config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

function listFaults(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }

  return [];
}

describe('the settings', () => {
  test('need nothing but the database outside production', () => {
    const config = loadConfig({ DATABASE_URL, PORT: '4000' });

    expect(config.site).toEqual({
      name: 'Praline',
      legalEntity: 'Praline',
      legalEmail: 'legal@example.com',
      publicUrl: 'http://localhost:4000',
    });
    expect(config.followUp).toEqual({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour });
    expect(config.web.contactRate).toEqual({ count: 10, windowMs: 10 * Minute });
  });

  test('report all faults in one message, without any value', () => {
    const faults = listFaults({
      NODE_ENV: 'production',
      PORT: '70000',
      PUBLIC_URL: 'https://example.com/path',
      DATABASE_URL: 'mysql://user:hunter2@host/db',
      SMTP_URL: 'smtp://mail.example.com',
      FOLLOW_UP_AFTER: '1 day',
      FOLOW_UP_AFTER: 'not ours',
      CRM_PROVDER: 'file',
      RATE_LIMIT_CONTACT: 'ten',
      TRUST_PROXY: '10.0.0.0/33',
      TIME_ZONE: 'Mars/Olympus',
      REDIS_SENTINELS: 'not ours',
    });

    expect(faults.map((fault) => fault.split(' ', 1)[0]).sort()).toEqual([
      'COOKIE_SECRET',
      'CRM_PROVDER',
      'DATABASE_URL',
      'FOLLOW_UP_AFTER',
      'MAIL_FROM',
      'PORT',
      'PUBLIC_URL',
      'RATE_LIMIT_CONTACT',
      'SALES_EMAIL',
      'TIME_ZONE',
      'TRUST_PROXY',
    ]);
    expect(faults.join()).not.toContain('hunter2');
  });

  test('take an empty variable for an unset one', () => {
    expect(loadConfig({ DATABASE_URL, REDIS_URL: '', FOLLOW_UP_AFTER: '' })).toMatchObject({
      redisUrl: undefined,
      followUp: { dueAfter: 24 * Hour },
    });
    expect(listFaults({ DATABASE_URL: '' })).toEqual(['DATABASE_URL is required']);
  });

  test('take a secret from the file that NAME_FILE names, without its last newline', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'test-config-')), 'url');
    writeFileSync(file, `${DATABASE_URL}\n`);

    expect(loadConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe(DATABASE_URL);
    expect(listFaults({ DATABASE_URL, DATABASE_URL_FILE: file })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set; keep one',
    ]);
    expect(listFaults({ DATABASE_URL_FILE: `${file}.missing` })).toEqual([
      "DATABASE_URL_FILE can't be read (ENOENT)",
    ]);
  });

  test('accept several cookie secrets for rotation, each of at least 32 bytes', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];

    expect(loadConfig({ DATABASE_URL, COOKIE_SECRET: `${first}, ${second}` }).linkSecrets).toEqual([
      first,
      second,
    ]);
    expect(listFaults({ DATABASE_URL, COOKIE_SECRET: `${first},short` })).toEqual([
      'COOKIE_SECRET must have at least 32 bytes each',
    ]);
  });

  test('name what belongs to the product but is not used yet', () => {
    expect(loadConfig({ DATABASE_URL, METRICS_PORT: '9100' }).unusedSettings).toEqual([
      'METRICS_PORT',
    ]);
  });

  test('take a password of the insights as it is typed, unless it is blank', () => {
    const readPassword = (INSIGHTS_PASSWORD: string) =>
      loadConfig({ DATABASE_URL, INSIGHTS_PASSWORD }).web.insightsPassword;

    expect(readPassword(' open sesame ')).toBe(' open sesame ');
    expect(readPassword('')).toBeUndefined();
    expect(listFaults({ DATABASE_URL, INSIGHTS_PASSWORD: '  ' })).toEqual([
      'INSIGHTS_PASSWORD must not be blank',
    ]);
  });

  test.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['2d', 172_800_000],
  ])('read the duration %s as %i ms', (text, ms) => {
    expect(loadConfig({ DATABASE_URL, FOLLOW_UP_AFTER: text }).followUp.dueAfter).toBe(ms);
  });
});
