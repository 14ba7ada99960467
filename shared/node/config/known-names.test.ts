import { readFile } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLogger } from '../logging/logger.ts';
import {
  composeSettings,
  containerVariables,
  listMisspelled,
  listUnknown,
  warnOfRemovedSettings,
  withoutSecrets,
} from './known-names.ts';
import { settings } from './settings.ts';

const read = (file: string) => readFile(new URL(`../../../${file}`, import.meta.url), 'utf8');

/** Returns the names in .env.example, including those that are commented out. */
async function readExample(): Promise<Record<string, string>> {
  const names = [...(await read('.env.example')).matchAll(/^(?:# )?([A-Z_]+)=/gm)].map(([, name = '']) => name);

  return Object.fromEntries(names.map((name) => [name, 'x']));
}

const misspelled: ReadonlyArray<readonly [string, string]> = [
  ['SMPT_URL', 'SMTP_URL'],
  ['PUBLC_URL', 'PUBLIC_URL'],
  ['TIMEZONE', 'TIME_ZONE'],
  ['BACKUPS_KEEP', 'BACKUP_KEEP'],
  ['COOKIE_SECERT', 'COOKIE_SECRET'],
  ['MAIL_FORM', 'MAIL_FROM'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['smtp_url', 'SMTP_URL'],
  ['SMTP_URL_FLIE', 'SMTP_URL_FILE'],
  ['HTTPS_PROT', 'HTTPS_PORT'],
  ['POSTGRES_PASWORD', 'POSTGRES_PASSWORD'],
  ['FILE_DIR', 'FILES_DIR'],
  ['COMPOSE_FLIE', 'COMPOSE_FILE'],
  ['SALES_EMIAL', 'SALES_EMAIL'],
  ['INSIGHT_PASSWORD', 'INSIGHTS_PASSWORD'],
];

/** Set by deploy/ when it builds the images. */
const buildArguments = ['VERSION', 'REVISION', 'CREATED'];

describe('in `.env`', () => {
  test('the names that .env.example, Compose and containers use are known', async () => {
    const given = { ...(await readExample()), COMPOSE_FILE: 'x', COMPOSE_PROFILES: 'x', HOSTNAME: 'x', https_proxy: 'x' };

    expect(listUnknown(given)).toEqual([]);
    expect(listMisspelled(Object.keys(given))).toEqual([]);
  });

  test('a removed setting is accepted', () => {
    const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hidden@collector:4318' };

    expect([...listUnknown(given), ...listMisspelled(Object.keys(given))]).toEqual([]);
  });

  test.each(misspelled)('%s is refused once, and %s is suggested', (given, meant) => {
    const all = [...listMisspelled([given]), ...listUnknown({ [given]: 'secret' })];

    expect(all).toEqual([`${given} is not a setting; did you mean ${meant}?`]);
  });

  test.each(['UNHEARD_OF', 'X'.repeat(200)])('%s resembles no setting and is refused without a suggestion', (given) => {
    expect(listUnknown({ [given]: 'x' })).toEqual([`${given} is not a setting; check its spelling`]);
  });

  test('the lists of names match the Compose files and the image', async () => {
    const files = ['', '.own-proxy'].map((part) => `docker-compose${part}.yml`);
    const texts = await Promise.all(files.map(read));
    const named = texts.flatMap((text) => [...text.matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name));
    const ofImage = [...(await read('Dockerfile')).matchAll(/^ENV (.+)$/gm)]
      .flatMap(([, line = '']) => [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name))
      // Caddy's own variables.
      .filter((name) => !name.startsWith('XDG_'));

    expect(new Set(named.filter((name) => !(name in settings) && !buildArguments.includes(name)))).toEqual(new Set(composeSettings));
    expect(ofImage.filter((name) => !containerVariables.includes(name) && !(name in settings))).toEqual([]);
  });
});

test('each removed setting is logged once, with the reason but without its value', () => {
  const lines: string[] = [];
  const stream = new Writable({
    write: (line: Buffer, _encoding, onWritten) => {
      lines.push(String(line));
      onWritten();
    },
  });
  const given = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:hidden@collector:4318', PATH: '/bin' };
  warnOfRemovedSettings(createLogger({ level: 'info', process: 'worker', stream }), given);

  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 40, msg: expect.stringMatching(/^OTEL_EXPORTER_OTLP_ENDPOINT is no longer a setting and is ignored: tracing was removed; .+\.$/) },
  ]);
  expect(lines.join()).not.toContain('hidden');
});

test('the operator’s tool ignores secrets in `.env` only within the stack, which provides them as files', () => {
  const secrets = { SMTP_URL: 'smtp://mail', COOKIE_SECRET_FILE: '/run/x', SECRETS_DIR: '/run/secrets' };
  const others = { SECRETS_DIR: '/run/secrets', ENV_FILE: '.env', SMPT_URL: 'x', PORT: '80' };

  expect(withoutSecrets({ ...secrets, ...others })).toEqual(others);
  expect(withoutSecrets(secrets)).toEqual(secrets);
});
