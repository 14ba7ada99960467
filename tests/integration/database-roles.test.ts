import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { grantPrivileges } from '../../shared/node/database/roles.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { readSchemaState } from '../../shared/node/database/schema.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrations, planRoles } from '../support/database-roles.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { runMigrator } from '../support/migrator.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Of a database with roles that tests leave as they are. */
let migrated: Awaited<ReturnType<typeof planRoles>>;
beforeAll(async () => {
  migrated = await planRoles();
  await runMigrations(migrated);
});

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

const findOwners = async (admin: Database) =>
  admin('pg_tables').where({ schemaname: 'public' }).distinct<{ tableowner: string }[]>('tableowner');

test('a database that a superuser has migrated gets its new owner, and a second run changes nothing', async () => {
  const urls = await planRoles();
  await migrateDatabase(urls.DATABASE_ADMIN_URL, migrationSource);

  expect(await runMigrator(urls)).toMatchObject({ exitCode: 0 });
  await Promise.all([runMigrations(urls), runMigrations(urls)]);

  const owner = new URL(urls.DATABASE_URL).username;
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  expect(await findOwners(admin)).toEqual([{ tableowner: owner }]);
  const applied = await admin('knex_migrations').select('name').orderBy('id');
  expect(applied.map(({ name }) => String(name))).toEqual(await migrationSource.getMigrations([]));
});

test('a migrator whose login is refused says so, and which setting has it', async () => {
  const wrong = new URL(migrated.DATABASE_ADMIN_URL);
  wrong.password = 'another-word';

  const { exitCode, output } = await runMigrator({ ...migrated, DATABASE_ADMIN_URL: wrong.href });

  expect(exitCode).toBe(1);
  expect(output).toMatch(/^PostgreSQL refuses the login \(28P01\): user and password in DATABASE_ADMIN_URL \(POSTGRES_PASSWORD for the stack's own server\)/);
  expect(output).not.toMatch(/another-word|\n.*\n/);
});

test('settings with another password than a running PostgreSQL has are refused before a secret is replaced', async () => {
  const wrong = new URL(migrated.DATABASE_ADMIN_URL);
  wrong.password = 'another-word';
  const folder = makeTemporaryFolder();
  const folders = ['web', 'site', 'operator'].map((name) => join(folder, name));
  await Promise.all(folders.map((path) => mkdir(path)));
  const provision = async (adminUrl: string) => {
    const program = startProcess(['ops/provision-secrets.ts', ...folders, '--own-servers'], {
      ...migrated,
      DATABASE_ADMIN_URL: adminUrl,
      COOKIE_SECRET: 'c'.repeat(32),
    });
    await waitFor('the settings to be checked', program.hasExited);

    return { exitCode: await program.stop(), output: program.output() };
  };
  await provision(migrated.DATABASE_ADMIN_URL);
  const before = await readFile(join(folder, 'operator', 'DATABASE_ADMIN_URL'), 'utf8');
  expect(before).toBe(migrated.DATABASE_ADMIN_URL);

  const { exitCode, output } = await provision(wrong.href);

  expect(exitCode).toBe(1);
  expect(output).toMatch(/^PostgreSQL refuses the login \(28P01\): user and password in DATABASE_ADMIN_URL \(POSTGRES_PASSWORD[^\n]*\n$/);
  expect(output).not.toMatch(/another-word/);
  expect(await readFile(join(folder, 'operator', 'DATABASE_ADMIN_URL'), 'utf8')).toBe(before);
  // Settings are written also while PostgreSQL is away.
  wrong.port = '1';
  expect(await provision(wrong.href)).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(folder, 'operator', 'DATABASE_ADMIN_URL'), 'utf8')).toBe(wrong.href);
});

test.each([
  ['DATABASE_WEB_URL', 'DATABASE_APP_URL'],
  ['DATABASE_ADMIN_URL', 'DATABASE_URL'],
] as const)('one user in %s and in %s is refused, and changes nothing', async (name, other) => {
  const urls = await planRoles();
  const { exitCode, output } = await runMigrator({ ...urls, [name]: urls[other] });

  expect(exitCode).toBe(1);
  expect(output).toContain('must have another user than');
  expect(output).toMatch(new RegExp(`(?=.*${name})(?=.*${other})`));
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  expect(await admin('pg_tables').where({ schemaname: 'public' })).toEqual([]);
});

test('several migrators that grant privileges at once wait for each other', async () => {
  await Promise.all(
    Array.from({ length: 8 }, () => grantPrivileges({
        ownerUrl: migrated.DATABASE_URL,
        appUrl: migrated.DATABASE_APP_URL,
        webUrl: migrated.DATABASE_WEB_URL,
      })),
  );
});

test('a migrator whose connection is cut while it makes roles says so', async () => {
  const urls = await planRoles();
  const proxy = await startFaultProxy(urls.DATABASE_ADMIN_URL);
  onTestFinished(() => proxy.close());
  proxy.cutResponsesTo('pg_advisory_xact_lock', 1);

  const { exitCode, output } = await runMigrator({ ...urls, DATABASE_ADMIN_URL: proxy.url });

  expect(exitCode).toBe(1);
  expect(output).toMatch(/^Error: Connection terminated unexpectedly\n/);
});

test('roles get the new passwords when the settings change', async () => {
  const urls = await planRoles();
  await runMigrations(urls);
  const changed = new URL(urls.DATABASE_APP_URL);
  changed.password = 'another';
  await expect(openDatabase(changed.href, onTestFinished).raw('select 1')).rejects.toMatchObject({
    code: '28P01',
  });

  await runMigrations({ ...urls, DATABASE_APP_URL: changed.href });

  await openDatabase(changed.href, onTestFinished).raw('select 1');
});

test('a role that is not the site’s can’t connect to its database', async () => {
  const admin = openDatabase(migrated.DATABASE_ADMIN_URL, onTestFinished);
  const other = new URL(migrated.DATABASE_APP_URL);
  other.username = `other_${randomBytes(4).toString('hex')}`;
  other.password = 'secret';
  await admin.raw(`create role ${other.username} login password 'secret'`);

  await expect(openDatabase(other.href, onTestFinished).raw('select 1')).rejects.toMatchObject({
    code: '42501',
  });
});

test('for a web whose role has no privileges yet the schema is behind, not unavailable', async () => {
  const urls = await planRoles();
  const { DATABASE_WEB_URL, ...before } = urls;
  await runMigrations(before);
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  const { username, password } = new URL(DATABASE_WEB_URL);
  await admin.raw(`create role ${username} login password ${literal(decodeURIComponent(password))}`);
  await admin.raw(`grant connect on database ${new URL(DATABASE_WEB_URL).pathname.slice(1)} to ${username}`);
  const web = openDatabase(DATABASE_WEB_URL, onTestFinished);

  expect(await readSchemaState(web)).toBe('behind');
  await runMigrations(urls);
  expect(await readSchemaState(web)).toBe('current');
  // The web of the version before continues with its role.
  const app = openDatabase(urls.DATABASE_APP_URL, onTestFinished);
  await app('newsletter_subscriptions').delete();
});
