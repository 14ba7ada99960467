import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Hour, Minute } from '../../time.ts';
import { listConfigErrors as listErrors, loadConfig, loadWebConfig } from './config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

/** Creates a folder for one test. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  return folder;
}

/** A webhook's secret of some bytes. */
const whsec = (bytes: number) => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;

describe('the settings', () => {
  test('require only the database outside production', () => {
    const config = loadConfig({ DATABASE_URL, PORT: '4000' });

    expect(config.site).toEqual({
      name: 'Praline',
      legalEntity: 'Praline',
      legalEmail: 'legal@example.com',
      publicUrl: 'http://localhost:4000',
    });
    expect(config.followUp).toEqual({ reminderAfter: 20 * Hour, dueAfter: 24 * Hour, acknowledges: true, hasChat: false });
    expect(config.web.contactRate).toEqual({ count: 10, windowMs: 10 * Minute });
  });

  test('report all errors in one message, without any value', () => {
    const errors = listErrors({
      NODE_ENV: 'production',
      PORT: '70000',
      HOST: 'bad_host',
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

    expect(errors.map((error) => error.split(' ', 1)[0]).sort()).toEqual([
      'COOKIE_SECRET',
      'CRM_PROVDER',
      'DATABASE_URL',
      'FOLLOW_UP_AFTER',
      'HOST',
      'MAIL_FROM',
      'PORT',
      'PUBLIC_URL',
      'RATE_LIMIT_CONTACT',
      'SALES_EMAIL',
      'TIME_ZONE',
      'TRUST_PROXY',
    ]);
    expect(errors.join()).not.toContain('hunter2');
  });

  describe('in production', () => {
    const production = { NODE_ENV: 'production', DATABASE_URL, COOKIE_SECRET: 'c'.repeat(32) };
    const PUBLIC_URL = 'https://www.example.com';
    const address = /^PUBLIC_URL is required in production/;
    const contact = /^LEGAL_EMAIL is required in production/;

    test.each([
      ['a site on all addresses', {}, address],
      ['a site on an address of the network', { HOST: '10.0.0.5' }, address],
      ['a stack published to a network', { BIND_ADDRESS: '10.0.0.5' }, /, unless BIND_ADDRESS is an address/],
      ['a public site', { PUBLIC_URL }, contact],
      ['a public site behind a proxy on this machine', { PUBLIC_URL, HOST: '127.0.0.1' }, contact],
      ['a public stack', { PUBLIC_URL, BIND_ADDRESS: '127.0.0.1' }, contact],
    ])('refuse %s without PUBLIC_URL or LEGAL_EMAIL', (_site, given, error) => {
      expect(listErrors({ ...production, ...given })).toEqual([expect.stringMatching(error)]);
    });

    test.each([
      ['a site that listens on loopback', { HOST: '127.0.0.1' }],
      ['a site that listens on loopback by IPv6', { HOST: '::1' }],
      ['the stack as installed', { HOST: '0.0.0.0', BIND_ADDRESS: '127.0.0.1' }],
      ['a site whose PUBLIC_URL is this machine', { PUBLIC_URL: 'http://localhost:3000' }],
      ['a public site with a contact', { PUBLIC_URL, LEGAL_EMAIL: 'legal@example.com' }],
      ['allowed destinations', { HOST: '::1', OUTBOUND_ALLOW: 'crm.internal, localhost:8069, 10.0.0.0/8, [::1]:80, ::1' }],
    ])('accept %s', (_site, given) => {
      expect(listErrors({ ...production, ...given })).toEqual([]);
    });
  });

  test.each(['true', '1', 'proxy', 'loopback', '10.0.0.0/8, proxy.internal', '0.0.0.0/0', '::/0', '10.1/16'])(
    'refuse TRUST_PROXY=%s, because it is no list of addresses or limited ranges',
    (TRUST_PROXY) => {
      expect(listErrors({ DATABASE_URL, TRUST_PROXY })).toEqual([
        expect.stringMatching(/^TRUST_PROXY must/),
      ]);
    },
  );

  test('treat an empty variable as unset', () => {
    expect(loadConfig({ DATABASE_URL, REDIS_URL: '', FOLLOW_UP_AFTER: '' })).toMatchObject({
      redisUrl: undefined,
      followUp: { dueAfter: 24 * Hour },
    });
    expect(listErrors({ DATABASE_URL: '' })).toEqual(['DATABASE_URL is required']);
  });

  test('read a secret from the file that NAME_FILE names, without its last newline', () => {
    const file = join(makeFolder(), 'url');
    writeFileSync(file, `${DATABASE_URL}\n`);

    expect(loadConfig({ DATABASE_URL_FILE: file }).databaseUrl).toBe(DATABASE_URL);
    expect(listErrors({ DATABASE_URL, DATABASE_URL_FILE: file })).toEqual([
      'DATABASE_URL and DATABASE_URL_FILE are both set; keep one',
    ]);
    expect(listErrors({ DATABASE_URL_FILE: `${file}.missing` })).toEqual([
      "DATABASE_URL_FILE can't be read (ENOENT)",
    ]);
  });

  test('read secrets from files in SECRETS_DIR', () => {
    const SECRETS_DIR = makeFolder();
    const keep = (name: string, content: string) => writeFileSync(join(SECRETS_DIR, name), content);
    keep('DATABASE_URL', `${DATABASE_URL}\n`);
    keep('..data', 'a link that Kubernetes creates');
    keep('another-programs-secret', 'ignored');

    expect(loadConfig({ SECRETS_DIR }).databaseUrl).toBe(DATABASE_URL);
    keep('HUBSPOT_TOKN', 'misspelt');
    keep('SMTP_URL', '\n');
    expect(listErrors({ SECRETS_DIR, DATABASE_URL }).toSorted()).toEqual([
      'DATABASE_URL and SECRETS_DIR/DATABASE_URL are both set; keep one',
      'HUBSPOT_TOKN is not a setting; did you mean HUBSPOT_TOKEN?',
      'SECRETS_DIR/SMTP_URL is an empty file',
    ]);
    expect(listErrors({ DATABASE_URL, SECRETS_DIR: `${SECRETS_DIR}.missing` })).toEqual([
      "SECRETS_DIR can't be read (ENOENT)",
    ]);
  });

  test('of web may lack the secrets that web does not use, if SECRETS_DIR is set', () => {
    const SECRETS_DIR = makeFolder();
    writeFileSync(join(SECRETS_DIR, 'DATABASE_URL'), DATABASE_URL);
    const environment = { SECRETS_DIR, CRM_PROVIDER: 'hubspot' };

    expect(loadWebConfig(environment).crm.provider).toBe('hubspot');
    expect(listErrors(environment)).toEqual(['HUBSPOT_TOKEN is required when CRM_PROVIDER is hubspot']);
    const shared = { DATABASE_URL, CRM_PROVIDER: 'hubspot' };
    expect(() => loadWebConfig(shared)).toThrow(/HUBSPOT_TOKEN is required/);
  });

  test('accept several cookie secrets for rotation, each of at least 32 bytes', () => {
    const [first, second] = ['a'.repeat(32), 'b'.repeat(40)];

    expect(loadConfig({ DATABASE_URL, COOKIE_SECRET: `${first}, ${second}` }).linkSecrets).toEqual([
      first,
      second,
    ]);
    expect(listErrors({ DATABASE_URL, COOKIE_SECRET: `${first},short` })).toEqual([
      'COOKIE_SECRET must have at least 32 bytes each',
    ]);
  });

  test.each([
    ['webhook', ['CRM_WEBHOOK_URL', 'CRM_WEBHOOK_SECRET']],
    ['hubspot', ['HUBSPOT_TOKEN']],
    ['salesforce', ['SALESFORCE_LOGIN_URL', 'SALESFORCE_CLIENT_ID', 'SALESFORCE_CLIENT_SECRET']],
    ['pipedrive', ['PIPEDRIVE_TOKEN']],
    ['odoo', ['ODOO_URL', 'ODOO_API_KEY']],
    ['espocrm', ['ESPOCRM_URL', 'ESPOCRM_API_KEY']],
    ['twenty', ['TWENTY_URL', 'TWENTY_API_KEY']],
  ])('require the settings of the CRM provider %s', (provider, names) => {
    expect(listErrors({ DATABASE_URL, CRM_PROVIDER: provider })).toEqual(
      names.map((name) => `${name} is required when CRM_PROVIDER is ${provider}`),
    );
  });

  test.each([
    ['8', ['08:00']],
    ['23:59', ['23:59']],
    ['21:00, 3, 09:30,3:00', ['03:00', '09:30', '21:00']],
    ['24', undefined],
    ['8:7', undefined],
    ['3,soon', undefined],
    [',', undefined],
  ])('read the times of day %s as %s, and keep BACKUP_KEEP backups of each', (BACKUP_AT, times) => {
    const given = { DATABASE_URL, BACKUP_AT, BACKUP_KEEP: '14' };
    if (times === undefined) expect(listErrors(given)).toEqual(['BACKUP_AT must be times of day like 03:00,15:00']);
    else expect(loadConfig(given).backup).toMatchObject({ at: times, keep: 14 * times.length });
  });

  test.each([
    ['Mon 08:00', 480],
    ['mon 8', 480],
    ['Sun 23:59', 7 * 1440 - 1],
    ['Monday 08:00', undefined],
    ['08:00', undefined],
    ['Mon', undefined],
    ['Mon 24', undefined],
  ])('read the time of a week %s as %s minutes', (REPORT_AT, minutes) => {
    if (minutes === undefined) expect(listErrors({ DATABASE_URL, REPORT_AT })).toEqual([expect.stringContaining('like Mon 08:00')]);
    else expect(loadConfig({ DATABASE_URL, REPORT_AT }).mail.reportAt).toBe(minutes);
  });

  test.each([
    [{ CRM_PROVIDER: 'Hubspot' }, 'CRM_PROVIDER must be one of'],
    [{ SMTP_URL: 'smtp://user:100%pw@mail.example.com' }, 'SMTP_URL must have the %'],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL must name a host'],
    [{ SMTP_URL: 'mail.example.com' }, 'SMTP_URL must be a URL that begins with smtp://'],
    [{ SMTP_URL: 'smtp://user:p@ss#w@mail.example.com' }, 'SMTP_URL must have a #'],
    [{ DATABASE_APP_URL: 'postgres://user:100%pw@host/site' }, 'DATABASE_APP_URL must have a % '],
    [{ DATABASE_APP_URL: 'postgres://host/site?password=100%pw' }, 'DATABASE_APP_URL must have a % '],
    [{ REDIS_URL: 'redis://user:100%pw@host' }, 'REDIS_URL must have a % '],
    [{ CRM_WEBHOOK_URL: 'hook.example.com' }, 'CRM_WEBHOOK_URL must be a URL that begins with https://'],
    [{ MAIL_FROM: 'Team: Web <site@example.com>' }, 'MAIL_FROM must be an e-mail address'],
    [{ SALES_EMAIL: 'Ann (East) <ann@example.com>' }, 'SALES_EMAIL must be e-mail addresses'],
    [{ RATE_LIMIT_CONTACT: '3/30d' }, 'RATE_LIMIT_CONTACT must be a rate over at most 24d'],
    [{ NODE_ENV: 'production', COOKIE_SECRET: 'c'.repeat(32), HOST: 'bad_host' }, 'HOST must be an IP address'],
    [{ ESPOCRM_URL: 'https://example.com/?entry' }, 'ESPOCRM_URL must be an address like https://www.example.com, with a path at most'],
    [{ ESPOCRM_URL: 'https://key@example.com/' }, 'ESPOCRM_URL must be an address like'],
    [{ ESPOCRM_URL: 'https://example.com/#Lead' }, 'ESPOCRM_URL must be an address like'],
    [{ BACKUP_REPOSITORY: '/repository' }, 'BACKUP_REPOSITORY_PASSWORD is required when BACKUP_REPOSITORY is set'],
    [{ BACKUP_REPOSITORY_PASSWORD: 'word', BACKUP_REPOSITORY: 'rest:https://site:100%pw@host/website' }, 'must have the % '],
    [{ PORT: '4000', METRICS_PORT: '4000' }, 'METRICS_PORT must differ from PORT'],
    [{ CRM_WEBHOOK_URL: 'https://ada@example.com/hook' }, 'CRM_WEBHOOK_URL must have no user name'],
    [{ CRM_WEBHOOK_URL: 'https://:hunter2@example.com/' }, 'CRM_WEBHOOK_URL must have no user name'],
    [{ CRM_WEBHOOK_SECRET: whsec(23) }, 'CRM_WEBHOOK_SECRET must'],
    [{ CRM_WEBHOOK_SECRET: whsec(65) }, 'CRM_WEBHOOK_SECRET must'],
    [{ OUTBOUND_ALLOW: 'https://crm.internal' }, 'OUTBOUND_ALLOW must be hosts, host:port or CIDR ranges'],
    [{ OUTBOUND_ALLOW: 'crm.internal, 10.0.0.0/33' }, 'OUTBOUND_ALLOW must be hosts, host:port or CIDR ranges'],
    [{ MAIL_RATE: '1/fortnight' }, 'MAIL_RATE must be a rate like 10/10m or 1/s'],
    [{ CHAT_FORMAT: 'irc' }, 'CHAT_FORMAT must be one of'],
    [{ INSIGHTS_PASSWORD: '  ' }, 'INSIGHTS_PASSWORD must not be blank'],
    [{ CRM_PROVIDER: 'odoo', ODOO_URL: 'https://odoo.example', ODOO_API_KEY: 'key', ODOO_LOGIN: 'site' }, 'ODOO_DATABASE is required with ODOO_LOGIN'],
    [{ TIME_ZONE: '+02:00' }, 'TIME_ZONE must be a time zone like Europe/Vienna'],
    [{ TIME_ZONE: 'CET' }, 'TIME_ZONE must be a time zone like Europe/Vienna'],
    [{ TIME_ZONE: 'PST8PDT' }, 'TIME_ZONE must be a time zone like Europe/Vienna'],
  ])('report the error of %o in one sentence without a secret', (given, sentence) => {
    const errors = listErrors({ DATABASE_URL, ...given });

    expect(errors).toEqual([expect.stringContaining(sentence)]);
    expect(errors.join()).not.toMatch(/hunter2|ada@/);
  });

  test('accept a CRM in a folder of its server, and remove the slash at the end', () => {
    const base = { DATABASE_URL, CRM_PROVIDER: 'espocrm', ESPOCRM_API_KEY: 'key' };
    const read = (ESPOCRM_URL: string) => loadConfig({ ...base, ESPOCRM_URL }).crm;

    expect(read('https://example.com/crm/')).toMatchObject({ url: 'https://example.com/crm' });
    expect(read('https://crm.example.com/')).toMatchObject({ url: 'https://crm.example.com' });
  });

  test('read a backup repository with its key, and refuse one in an unknown notation', () => {
    const base = { DATABASE_URL, BACKUP_REPOSITORY_PASSWORD: 'word' };

    const BACKUP_REPOSITORY = 's3:https://KEY:a/b+c%3@s3.example.com:9000/site/folder';
    expect(loadConfig({ ...base, BACKUP_REPOSITORY }).backup.repository).toEqual({
      location: 's3:https://s3.example.com:9000/site/folder',
      accessKey: { id: 'KEY', secret: 'a/b+c%3' },
      password: 'word',
    });
    for (const place of ['/repository', 'sftp:site@host:/website', 'rest:https://site:100%25@host/website']) {
      expect(listErrors({ ...base, BACKUP_REPOSITORY: place })).toEqual([]);
    }
    for (const place of ['repository', 's3:https://s3.example.com/site', 'b2:bucket:website', 'https://host/website']) {
      expect(listErrors({ ...base, BACKUP_REPOSITORY: place })).toEqual([
        expect.stringMatching(/^BACKUP_REPOSITORY must be s3:/),
      ]);
    }
  });

  test('keep the password of the insights as typed', () => {
    const { web } = loadConfig({ DATABASE_URL, INSIGHTS_PASSWORD: ' open sesame ' });

    expect(web.insightsPassword).toBe(' open sesame ');
  });

  test.each([
    ['90s', 90_000],
    ['2d', 172_800_000],
  ])('read the duration %s as %i ms', (text, ms) => {
    expect(loadConfig({ DATABASE_URL, FOLLOW_UP_AFTER: text }).followUp.dueAfter).toBe(ms);
  });
});
