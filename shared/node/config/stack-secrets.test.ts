import { describe, expect, test } from 'vitest';
import { listUnused, makeStackSecrets } from './stack-secrets.ts';

const given = {
  NODE_ENV: 'production',
  BIND_ADDRESS: '127.0.0.1',
  POSTGRES_PASSWORD: 'p@ss:word/+',
  COOKIE_SECRET: 'c'.repeat(32),
  HUBSPOT_TOKEN: 'hubspot-token',
  SMTP_URL: 'smtps://site:secret@mail.example.com',
  MAIL_FROM: 'site@example.com',
  SALES_EMAIL: 'sales@example.com',
  INSIGHTS_PASSWORD: 'open sesame',
  SITE_NAME: 'No secret',
};

describe('the secrets within the stack', () => {
  test('are the secret settings and the passwords that the containers use among themselves', () => {
    const { web, site, operator } = makeStackSecrets({
      ...given,
      ...{ BACKUP_REPOSITORY: '/repository', BACKUP_REPOSITORY_PASSWORD: 'word' },
    });

    // Web lacks the secrets for the mail server and the CRM, because it sends nothing.
    expect([...web.keys()].sort()).toEqual([
      'COOKIE_SECRET',
      'DATABASE_URL',
      'INSIGHTS_PASSWORD',
      'REDIS_URL',
    ]);
    expect([...site.keys()].sort()).toEqual([
      'COOKIE_SECRET',
      'DATABASE_URL',
      'HUBSPOT_TOKEN',
      'INSIGHTS_PASSWORD',
      'REDIS_URL',
      'SMTP_URL',
      'redis.acl',
    ]);
    // The worker lacks the repository's secrets, so an attacker there can't read or delete its backups.
    expect([...operator.keys()].sort()).toEqual([
      'BACKUP_REPOSITORY',
      'BACKUP_REPOSITORY_PASSWORD',
      'COOKIE_SECRET',
      'DATABASE_ADMIN_URL',
      'DATABASE_APP_URL',
      'DATABASE_URL',
      'DATABASE_WEB_URL',
      'HUBSPOT_TOKEN',
      'INSIGHTS_PASSWORD',
      'POSTGRES_PASSWORD',
      'REDIS_URL',
      'SMTP_URL',
    ]);
  });

  test('give web only the origin of CHAT_URL', () => {
    const { web, site } = makeStackSecrets({ ...given, CHAT_URL: 'https://hooks.slack.com/services/T0/B0/secret' });

    expect(web.get('CHAT_URL')).toBe('https://hooks.slack.com');
    expect(site.get('CHAT_URL')).toBe('https://hooks.slack.com/services/T0/B0/secret');
  });

  test('include a password for each role, and hide the superuser’s from web and worker', () => {
    const { web: ofWeb, site, operator } = makeStackSecrets(given);
    const readLogin = (url = '') => {
      const { username, password } = new URL(url);

      return { username, password: decodeURIComponent(password) };
    };
    const [admin, migrate, app, web] = [
      operator.get('DATABASE_ADMIN_URL'),
      operator.get('DATABASE_URL'),
      site.get('DATABASE_URL'),
      ofWeb.get('DATABASE_URL'),
    ].map(readLogin);

    expect(admin).toEqual({ username: 'website', password: given.POSTGRES_PASSWORD });
    expect(migrate?.username).toBe('website_migrate');
    expect(app?.username).toBe('website_app');
    expect(web?.username).toBe('website_web');
    expect(operator.get('DATABASE_APP_URL')).toBe(site.get('DATABASE_URL'));
    expect(operator.get('DATABASE_WEB_URL')).toBe(ofWeb.get('DATABASE_URL'));
    expect(new Set([admin, migrate, app, web].map((login) => login?.password)).size).toBe(4);
    expect([...site.values()].join()).not.toContain(given.POSTGRES_PASSWORD);
  });

  test('require POSTGRES_PASSWORD, valid settings and known names; errors suggest the right names without showing values', () => {
    const wrong = { SMPT_URL: 'smtp://site:hidden@mail', COOKIE_SECRET: 'short', CRM_PROVDER: 'file', TIMEZONE: 'UTC' };
    const listErrors = () => makeStackSecrets({ ...given, ...wrong });

    expect(listErrors).toThrow(
      /COOKIE_SECRET must have[^]*CRM_PROVDER is not a setting[^]*SMPT_URL is not a setting; did you mean SMTP_URL\?[^]*TIMEZONE is not/,
    );
    expect(listErrors).not.toThrow(/hidden/);
    expect(() => makeStackSecrets({ ...given, POSTGRES_PASSWORD: '' })).toThrow(/POSTGRES_PASSWORD is required/);
  });

  test.each(['DATABASE_URL', 'DATABASE_ADMIN_URL', 'DATABASE_WEB_URL', 'REDIS_URL', 'REDIS_URL_FILE'])(
    'ignore %s and report it',
    (name) => {
      const secrets = makeStackSecrets({ ...given, [name]: 'mysql://mine' });

      expect(secrets).toEqual(makeStackSecrets(given));
      expect(listUnused({ ...given, [name]: 'mysql://mine' })).toEqual([name]);
    },
  );

  describe('with the operator’s own servers', () => {
    const urls = {
      DATABASE_URL: 'postgres://website_migrate:one@db.example.com/website',
      DATABASE_APP_URL: 'postgres://website_app:two@db.example.com/website',
      DATABASE_WEB_URL: 'postgres://website_web:three@db.example.com/website',
    };

    test('contain each role’s URL from `.env`', () => {
      const own = { ...given, ...urls, REDIS_URL: 'rediss://website:four@redis.example.com' };
      const { web, site, operator } = makeStackSecrets(own, 'operator');

      expect(web.get('DATABASE_URL')).toBe(urls.DATABASE_WEB_URL);
      expect(site.get('DATABASE_URL')).toBe(urls.DATABASE_APP_URL);
      expect(Object.fromEntries(operator)).toMatchObject(urls);
      expect([web, site, operator].map((files) => files.get('REDIS_URL'))).toEqual(Array(3).fill(own.REDIS_URL));
      expect(site.has('redis.acl') || operator.has('DATABASE_ADMIN_URL')).toBe(false);
      expect(listUnused(own, 'operator')).toEqual([]);
    });

    test('require a URL for each role, but not for Redis', () => {
      expect(makeStackSecrets({ ...given, ...urls }, 'operator').site.has('REDIS_URL')).toBe(false);
      expect(() => makeStackSecrets({ ...given, ...urls, DATABASE_WEB_URL: '' }, 'operator')).toThrow(
        /DATABASE_WEB_URL is required if you use your own servers/,
      );
      expect(() => makeStackSecrets({ ...given, ...urls, DATABASE_URL: 'mysql://mine' }, 'operator')).toThrow(/DATABASE_URL must/);
    });

    test('require a different user for each role', () => {
      const shared = { DATABASE_APP_URL: urls.DATABASE_URL, DATABASE_WEB_URL: `${urls.DATABASE_URL}?sslmode=require` };

      expect(() => makeStackSecrets({ ...given, ...urls, ...shared }, 'operator')).toThrow(
        /APP_URL must have a different user from DATABASE_URL\n.*WEB_URL must have a different user from DATABASE_URL$/,
      );
    });
  });
});
