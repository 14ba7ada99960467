import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrations, planRoles } from '../support/database-roles.ts';
import { runMigrator } from '../support/migrator.ts';
import { startProcess } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** URLs for a migrated database, for tests that don't change its roles. */
let migrated: Awaited<ReturnType<typeof planRoles>>;
beforeAll(async () => {
  migrated = await planRoles();
  await runMigrations(migrated);
});

const findOwners = async (admin: Database) =>
  admin('pg_tables').where({ schemaname: 'public' }).distinct<{ tableowner: string }[]>('tableowner');

test('the migrations transfer tables that a superuser owns to the owner role, and a second run changes nothing', async () => {
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

test('a password that PostgreSQL refuses is reported before any secret is replaced', async () => {
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
  expect(output).toMatch(/^PostgreSQL refuses the login \(28P01\): the user and password in DATABASE_ADMIN_URL \(POSTGRES_PASSWORD[^\n]*\n$/);
  expect(output).not.toMatch(/another-word/);
  expect(await readFile(join(folder, 'operator', 'DATABASE_ADMIN_URL'), 'utf8')).toBe(before);
  // Secrets are written even while PostgreSQL is down.
  wrong.port = '1';
  expect(await provision(wrong.href)).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(folder, 'operator', 'DATABASE_ADMIN_URL'), 'utf8')).toBe(wrong.href);
});

test('the migrations set the roles’ passwords to those in the settings', async () => {
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

test('another application’s role can’t connect to the site’s database', async () => {
  const admin = openDatabase(migrated.DATABASE_ADMIN_URL, onTestFinished);
  const other = new URL(migrated.DATABASE_APP_URL);
  other.username = `other_${randomBytes(4).toString('hex')}`;
  other.password = 'secret';
  await admin.raw(`create role ${other.username} login password 'secret'`);

  await expect(openDatabase(other.href, onTestFinished).raw('select 1')).rejects.toMatchObject({
    code: '42501',
  });
});

test('web’s role can’t delete rows from any table', async () => {
  const web = openDatabase(migrated.DATABASE_WEB_URL, onTestFinished);
  const { rows } = await web.raw<{ rows: Array<{ name: string }> }>(
    "select format('%I', tablename) as name from pg_tables where schemaname = 'public'",
  );

  expect(rows.length).toBeGreaterThan(5);
  for (const { name } of rows) {
    await expect(web.raw(`delete from ${name}`), name).rejects.toMatchObject({ code: '42501' });
    await expect(web.raw(`truncate ${name}`), name).rejects.toMatchObject({ code: '42501' });
  }
});

test.each(['APP', 'WEB'] as const)('the DATABASE_%s_URL role can’t change tables, roles or the record of migrations', async (name) => {
  const app = openDatabase(migrated[`DATABASE_${name}_URL`], onTestFinished);

  for (const forbidden of [
    'drop table contact_submissions',
    'truncate contact_submissions',
    'alter table deliveries add column mine text',
    'create table mine (id int)',
    "insert into knex_migrations (name) values ('mine')",
    'create role mine',
  ]) {
    await expect(app.raw(forbidden), forbidden).rejects.toMatchObject({ code: '42501' });
  }
});
