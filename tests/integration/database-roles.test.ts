import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../shared/node/database.ts';
import { grantToApplication } from '../../shared/node/database-roles.ts';
import { migrateDatabase } from '../../shared/node/migrate.ts';
import { listMigrationNames } from '../../shared/node/schema.ts';
import { openDatabase } from '../support/database.ts';
import { migrateWell, planRoles } from '../support/database-roles.ts';

const findOwners = async (admin: Database) =>
  admin('pg_tables').where({ schemaname: 'public' }).distinct<{ tableowner: string }[]>('tableowner');

test('a database that a superuser has filled is handed over, and a second run changes nothing', async () => {
  const urls = await planRoles();
  await migrateDatabase(urls.DATABASE_ADMIN_URL);

  await migrateWell(urls);
  await Promise.all([migrateWell(urls), migrateWell(urls)]);

  const owner = new URL(urls.DATABASE_URL).username;
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  expect(await findOwners(admin)).toEqual([{ tableowner: owner }]);
  const applied = await admin('knex_migrations').select('name').orderBy('id');
  expect(applied.map(({ name }) => String(name))).toEqual(await listMigrationNames());
});

test('rights granted by several starters at once wait for each other', async () => {
  const urls = await planRoles();
  await migrateWell(urls);

  await Promise.all(
    Array.from({ length: 8 }, () => grantToApplication(urls.DATABASE_URL, urls.DATABASE_APP_URL)),
  );
});

test('roles get the passwords of the settings again when these change', async () => {
  const urls = await planRoles();
  await migrateWell(urls);
  const changed = new URL(urls.DATABASE_APP_URL);
  changed.password = 'another';
  await expect(openDatabase(changed.href, onTestFinished).raw('select 1')).rejects.toMatchObject({
    code: '28P01',
  });

  await migrateWell({ ...urls, DATABASE_APP_URL: changed.href });

  await openDatabase(changed.href, onTestFinished).raw('select 1');
});

test('who is no role of the site can’t look into its database', async () => {
  const urls = await planRoles();
  await migrateWell(urls);
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  const stranger = new URL(urls.DATABASE_APP_URL);
  stranger.username = `stranger_${randomBytes(4).toString('hex')}`;
  stranger.password = 'strange';
  await admin.raw(`create role ${stranger.username} login password 'strange'`);

  await expect(openDatabase(stranger.href, onTestFinished).raw('select 1')).rejects.toMatchObject({
    code: '42501',
  });
});
