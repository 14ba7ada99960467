import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Hour, Minute } from '../../time.ts';
import { listConfigErrors as listErrors, loadConfig, loadWebConfig } from './config.ts';

const DATABASE_URL = 'postgres://site:secret@localhost/site';

/** Creates a temporary folder for a test. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'test-config-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));

  return folder;
}

/** Makes a webhook secret. */
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

  test('report all errors in one message, without any values', () => {
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
      ['a site that listens on all addresses', {}, address],
      ['a site that listens on a network address', { HOST: '10.0.0.5' }, address],
      ['a stack published to a network', { BIND_ADDRESS: '10.0.0.5' }, /, unless BIND_ADDRESS is a loopback/],
      ['a public site', { PUBLIC_URL }, contact],
      ['a public site behind a proxy on this machine', { PUBLIC_URL, HOST: '127.0.0.1' }, contact],
      ['a public stack', { PUBLIC_URL, BIND_ADDRESS: '127.0.0.1' }, contact],
    ])('refuse %s without PUBLIC_URL or LEGAL_EMAIL', (_site, given, error) => {
      expect(listErrors({ ...production, ...given })).toEqual([expect.stringMatching(error)]);
    });

    test.each([
      ['a site that listens on loopback', { HOST: '127.0.0.1' }],
      ['a site that listens on IPv6 loopback', { HOST: '::1' }],
      ['the stack as installed', { HOST: '0.0.0.0', BIND_ADDRESS: '127.0.0.1' }],
      ['a site whose PUBLIC_URL points to this machine', { PUBLIC_URL: 'http://localhost:3000' }],
      ['a public site with a contact', { PUBLIC_URL, LEGAL_EMAIL: 'legal@example.com' }],
      ['allowed destinations', { HOST: '::1', OUTBOUND_ALLOW: 'crm.internal, localhost:8069, 10.0.0.0/8, [::1]:80, ::1' }],
    ])('accept %s', (_site, given) => {
      expect(listErrors({ ...production, ...given })).toEqual([]);
    });
  });

  test('read a secret from the file named by NAME_FILE, without its last newline', () => {
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
    const write = (name: string, content: string) => writeFileSync(join(SECRETS_DIR, name), content);
    write('DATABASE_URL', `${DATABASE_URL}\n`);
    write('..data', 'a link that Kubernetes creates');
    write('another-programs-secret', 'ignored');

    expect(loadConfig({ SECRETS_DIR }).databaseUrl).toBe(DATABASE_URL);
    write('HUBSPOT_TOKN', 'misspelt');
    write('SMTP_URL', '\n');
    expect(listErrors({ SECRETS_DIR, DATABASE_URL }).toSorted()).toEqual([
      'DATABASE_URL and SECRETS_DIR/DATABASE_URL are both set; keep one',
      'HUBSPOT_TOKN is not a setting; did you mean HUBSPOT_TOKEN?',
      'SECRETS_DIR/SMTP_URL is an empty file',
    ]);
    expect(listErrors({ DATABASE_URL, SECRETS_DIR: `${SECRETS_DIR}.missing` })).toEqual([
      "SECRETS_DIR can't be read (ENOENT)",
    ]);
  });

  test('do not require web to have secrets that only other programs use, if SECRETS_DIR is set', () => {
    const SECRETS_DIR = makeFolder();
    writeFileSync(join(SECRETS_DIR, 'DATABASE_URL'), DATABASE_URL);
    const environment = { SECRETS_DIR, CRM_PROVIDER: 'hubspot' };

    expect(loadWebConfig(environment).crm.provider).toBe('hubspot');
    expect(listErrors(environment)).toEqual(['HUBSPOT_TOKEN is required when CRM_PROVIDER is hubspot']);
    expect(() => loadWebConfig({ DATABASE_URL, CRM_PROVIDER: 'hubspot' })).toThrow(/HUBSPOT_TOKEN is required/);
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

  const espocrm = { CRM_PROVIDER: 'espocrm', ESPOCRM_API_KEY: 'key' };
  const repository = { BACKUP_REPOSITORY_PASSWORD: 'word' };
  const [oldSecret, newSecret] = ['a'.repeat(32), 'b'.repeat(40)];

  test.each<[Readonly<Record<string, string>>, object]>([
    [{ REDIS_URL: '', FOLLOW_UP_AFTER: '' }, { redisUrl: undefined, followUp: { dueAfter: 24 * Hour } }],
    [{ FOLLOW_UP_AFTER: '90s' }, { followUp: { dueAfter: 90_000 } }],
    [{ FOLLOW_UP_AFTER: '2d' }, { followUp: { dueAfter: 48 * Hour } }],
    [{ COOKIE_SECRET: `${newSecret}, ${oldSecret}` }, { linkSecrets: [newSecret, oldSecret] }],
    [{ INSIGHTS_PASSWORD: ' open sesame ' }, { web: { insightsPassword: ' open sesame ' } }],
    [{ BACKUP_AT: '8', BACKUP_KEEP: '14' }, { backup: { at: ['08:00'], keep: 14 } }],
    [{ BACKUP_AT: '23:59' }, { backup: { at: ['23:59'] } }],
    // For each time of day, BACKUP_KEEP backups are kept.
    [{ BACKUP_AT: '21:00, 3, 09:30,3:00', BACKUP_KEEP: '14' }, { backup: { at: ['03:00', '09:30', '21:00'], keep: 42 } }],
    [{ REPORT_AT: 'Mon 08:00' }, { mail: { reportAt: 8 * 60 } }],
    [{ REPORT_AT: 'mon 8' }, { mail: { reportAt: 8 * 60 } }],
    [{ REPORT_AT: 'Sun 23:59' }, { mail: { reportAt: 7 * 24 * 60 - 1 } }],
    [{ ...espocrm, ESPOCRM_URL: 'https://example.com/crm/' }, { crm: { url: 'https://example.com/crm' } }],
    [{ ...espocrm, ESPOCRM_URL: 'https://crm.example.com/' }, { crm: { url: 'https://crm.example.com' } }],
    [
      { ...repository, BACKUP_REPOSITORY: 's3:https://KEY:a/b+c%3@s3.example.com:9000/site/folder' },
      {
        backup: {
          repository: {
            location: 's3:https://s3.example.com:9000/site/folder',
            accessKey: { id: 'KEY', secret: 'a/b+c%3' },
            password: 'word',
          },
        },
      },
    ],
    ...['/repository', 'sftp:site@host:/website', 'rest:https://site:100%25@host/website'].map(
      (location): [Record<string, string>, object] => [{ ...repository, BACKUP_REPOSITORY: location }, { backup: { repository: { location } } }],
    ),
  ])('read %o', (given, config) => {
    expect(loadConfig({ DATABASE_URL, ...given })).toMatchObject(config);
  });

  test.each<readonly [Readonly<Record<string, string>>, string]>([
    [{ DATABASE_URL: '' }, 'DATABASE_URL is required'],
    [{ COOKIE_SECRET: `${newSecret},short` }, 'COOKIE_SECRET must have at least 32 bytes in each secret'],
    ...['true', '1', 'proxy', 'loopback', '10.0.0.0/8, proxy.internal', '0.0.0.0/0', '::/0', '10.1/16'].map(
      (TRUST_PROXY) => [{ TRUST_PROXY }, 'TRUST_PROXY must'] as const,
    ),
    ...['24', '8:7', '3,soon', ','].map((BACKUP_AT) => [{ BACKUP_AT }, 'BACKUP_AT must be times of day like 03:00,15:00'] as const),
    ...['Monday 08:00', '08:00', 'Mon', 'Mon 24'].map((REPORT_AT) => [{ REPORT_AT }, 'like Mon 08:00'] as const),
    ...['repository', 's3:https://s3.example.com/site', 'b2:bucket:website', 'https://host/website'].map(
      (location) => [{ ...repository, BACKUP_REPOSITORY: location }, 'BACKUP_REPOSITORY must be s3:'] as const,
    ),
    [{ CRM_PROVIDER: 'Hubspot' }, 'CRM_PROVIDER must be one of'],
    [{ SMTP_URL: 'smtp://user:100%pw@mail.example.com' }, 'SMTP_URL must have % '],
    [{ SMTP_URL: 'smtp://' }, 'SMTP_URL must name a host'],
    [{ SMTP_URL: 'mail.example.com' }, 'SMTP_URL must be a URL that begins with smtp://'],
    [{ SMTP_URL: 'smtp://user:p@ss#w@mail.example.com' }, 'SMTP_URL must have # and /'],
    [{ DATABASE_APP_URL: 'postgres://user:100%pw@host/site' }, 'DATABASE_APP_URL must have % '],
    [{ DATABASE_APP_URL: 'postgres://host/site?password=100%pw' }, 'DATABASE_APP_URL must have % '],
    [{ REDIS_URL: 'redis://user:100%pw@host' }, 'REDIS_URL must have % '],
    [{ CRM_WEBHOOK_URL: 'hook.example.com' }, 'CRM_WEBHOOK_URL must be a URL that begins with https://'],
    [{ MAIL_FROM: 'Team: Web <site@example.com>' }, 'MAIL_FROM must be an e-mail address'],
    [{ SALES_EMAIL: 'Ann (East) <ann@example.com>' }, 'SALES_EMAIL must be e-mail addresses'],
    [{ RATE_LIMIT_CONTACT: '3/30d' }, 'RATE_LIMIT_CONTACT must be a rate with a period of at most 24d'],
    [{ NODE_ENV: 'production', COOKIE_SECRET: 'c'.repeat(32), HOST: 'bad_host' }, 'HOST must be an IP address'],
    [{ ESPOCRM_URL: 'https://example.com/?entry' }, 'ESPOCRM_URL must be an address like https://www.example.com, optionally with a path'],
    [{ ESPOCRM_URL: 'https://key@example.com/' }, 'ESPOCRM_URL must be an address like'],
    [{ ESPOCRM_URL: 'https://example.com/#Lead' }, 'ESPOCRM_URL must be an address like'],
    [{ BACKUP_REPOSITORY: '/repository' }, 'BACKUP_REPOSITORY_PASSWORD is required when BACKUP_REPOSITORY is set'],
    [{ BACKUP_REPOSITORY_PASSWORD: 'word', BACKUP_REPOSITORY: 'rest:https://site:100%pw@host/website' }, 'must have % '],
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
  ])('report the error in %o in one sentence, without secrets', (given, sentence) => {
    const errors = listErrors({ DATABASE_URL, ...given });

    expect(errors).toEqual([expect.stringContaining(sentence)]);
    expect(errors.join()).not.toMatch(/hunter2|ada@/);
  });
});
