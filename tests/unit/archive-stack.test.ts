import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { makeStackSecrets } from '../../shared/node/config/stack-secrets.ts';

interface Service {
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
  readonly extends?: { readonly file: string; readonly service: string };
}

interface Stack {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
}

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');
const stack = parse(await read('docker-compose.yml'), { merge: true }) as Stack;
const archive = parse(await read('docker-compose.archive.yml'), { merge: true }) as Stack;

test('the file of the archive matches the Compose specification', async () => {
  const linterFolder = join(createRequire(import.meta.url).resolve('dclint/package.json'), '..');
  const schema = JSON.parse(await readFile(join(linterFolder, 'schemas', 'compose.schema.json'), 'utf8')) as object;
  const validate = new Ajv({ strict: false, validateFormats: false, validateSchema: false }).compile(schema);

  expect([validate(archive), validate.errors]).toEqual([true, null]);
});

test('it changes services that there are, and adds one like the operator’s tool, which Compose 1 can extend', () => {
  const added = Object.keys(archive.services).filter((name) => !(name in stack.services));

  expect(added).toEqual(['recovery']);
  expect(archive.services['recovery']?.extends).toEqual({ file: 'docker-compose.yml', service: 'ops' });
  expect(stack.services['ops']).not.toHaveProperty('depends_on');
});

test('a moment is restored to where PostgreSQL has its files', () => {
  const files = stack.services['postgres']?.volumes?.find((volume) => volume.startsWith('postgres:')) ?? '';

  expect(archive.services['recovery']?.volumes).toEqual([files]);
  expect(archive.services['recovery']?.entrypoint?.slice(-2)).toEqual(['--into', files.split(':')[1]]);
});

test('PostgreSQL bounds what it keeps, and lets the archive’s role replicate, by its password', async () => {
  const { command, volumes } = archive.services['postgres'] ?? {};
  expect(command).toContain('max_slot_wal_keep_size=1GB');
  const [source = '', target = ''] = volumes?.[0]?.split(':') ?? [];
  expect(command).toContain(`hba_file=${target}`);

  const rules = (await read(source)).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const url = makeStackSecrets({
    ...{ POSTGRES_PASSWORD: 'p'.repeat(24), COOKIE_SECRET: 'c'.repeat(32), DATABASE_URL: 'postgres://unused' },
  }).operator.get('DATABASE_ARCHIVE_URL');
  const { username } = new URL(url ?? '');
  expect(rules.map((rule) => rule.split(/\s+/).join(' '))).toEqual([
    'local all all trust',
    `host replication ${username} all scram-sha-256`,
    'host all all all scram-sha-256',
  ]);
});
