import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { grantToApplication } from '../../shared/node/database/roles.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { listMigrationNames, readSchemaState } from '../../shared/node/database/schema.ts';
import { openDatabase } from '../support/database.ts';
import { migrateWell, planRoles } from '../support/database-roles.ts';

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

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
    Array.from({ length: 8 }, () => grantToApplication({
        ownerUrl: urls.DATABASE_URL,
        appUrl: urls.DATABASE_APP_URL,
        webUrl: urls.DATABASE_WEB_URL,
      })),
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

test('a web whose role has no rights yet counts as ahead of the migrations, not as without a database', async () => {
  const urls = await planRoles();
  const { DATABASE_WEB_URL, ...before } = urls;
  await migrateWell(before);
  const admin = openDatabase(urls.DATABASE_ADMIN_URL, onTestFinished);
  const { username, password } = new URL(DATABASE_WEB_URL);
  await admin.raw(`create role ${username} login password ${literal(decodeURIComponent(password))}`);
  await admin.raw(`grant connect on database ${new URL(DATABASE_WEB_URL).pathname.slice(1)} to ${username}`);
  const web = openDatabase(DATABASE_WEB_URL, onTestFinished);

  expect(await readSchemaState(web)).toBe('behind');
  await migrateWell(urls);
  expect(await readSchemaState(web)).toBe('current');
  // The web of the version before goes on with the role it has.
  const app = openDatabase(urls.DATABASE_APP_URL, onTestFinished);
  await app('spent_proofs').delete();
});
