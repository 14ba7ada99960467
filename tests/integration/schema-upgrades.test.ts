import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import knex from 'knex';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createHoldTable } from '../../shared/node/deliveries/delivery-hold.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import { NEWEST_BEFORE } from '../../shared/node/database/schema.ts';
import { runMigrations } from '../support/database-roles.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrator } from '../support/migrator.ts';
import { checkOutPreviousVersion, PREVIOUS_REVISION } from '../support/previous-version.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';

/**
 * Versions whose schema a site may have: the last commit of each, and the newest migration it knows. A
 * release with migrations adds the one before.
 */
const versions = [
  // Contact requests and their deliveries.
  { revision: '57b911e', newest: '20251101090100_create_deliveries.ts' },
  // The newsletter.
  { revision: 'ae9d7d0', newest: '20251121090100_add_newsletter_deliveries.ts' },
  // The operator's tool.
  { revision: PREVIOUS_REVISION, newest: NEWEST_BEFORE },
  // Backups, alerts, mails about held requests.
  { revision: '1396c2d', newest: '20261122140000_create_held_mails.ts' },
];

let server: SystemPostgres;
let fresh: string;
beforeAll(async () => {
  server = await startSystemPostgres();
  fresh = await dumpUpgraded(await server.createEmptyDatabase());
});
afterAll(() => server.remove());

/** The whole schema as SQL: tables, checks, indexes, comments, owners, grants. */
async function dumpSchema(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(server.programs, 'pg_dump'), ['--schema-only', url]);

  // The keys of psql's \restrict are new in each dump.
  return stdout.replaceAll(/^\\(un)?restrict .*\n/gm, '');
}

/** The schema after the migrations of this version, with its three roles. */
async function dumpUpgraded(url: string): Promise<string> {
  const withRole = (role: string) => {
    const own = new URL(url);
    own.username = role;
    own.password = role;

    return own.href;
  };
  await runMigrations({
    DATABASE_ADMIN_URL: url,
    DATABASE_URL: withRole('site_migrate'),
    DATABASE_APP_URL: withRole('site_app'),
    DATABASE_WEB_URL: withRole('site_web'),
    // Several roles need the jobs on Redis; the migrations don't connect to it.
    REDIS_URL: 'redis://localhost',
  });

  return dumpSchema(url);
}

/** This version's migrations up to one of them. */
const listUpTo = async (newest: string) => {
  const names = await migrationSource.getMigrations([]);

  return names.slice(0, names.indexOf(newest) + 1);
};

const listApplied = async (url: string) =>
  openDatabase(url, onTestFinished)('knex_migrations').orderBy('id').pluck<string[]>('name');

describe.each(versions)('the schema of a site of version $revision', ({ revision, newest }) => {
  test('becomes that of a new site, by the migrations as they are now', async () => {
    const url = await server.createEmptyDatabase();
    const names = await listUpTo(newest);
    expect(names.at(-1)).toBe(newest);
    await migrateDatabase(url, { ...migrationSource, getMigrations: async () => names });

    expect(await dumpUpgraded(url)).toBe(fresh);
  });

  test('becomes that of a new site, by the migrations as they were', async () => {
    const url = await server.createEmptyDatabase();
    const then = { folder: await checkOutPreviousVersion(onTestFinished, revision) };
    const settings = { DATABASE_URL: url, REDIS_URL: 'redis://localhost' };
    const { exitCode, output } = await runMigrator(settings, then);
    expect(exitCode, output).toBe(0);
    expect(await listApplied(url)).toEqual(await listUpTo(newest));

    expect(await dumpUpgraded(url)).toBe(fresh);
  });
});

test('the schema has the site’s tables, its roles’ privileges and the version it is for', () => {
  for (const part of [
    'CREATE TABLE public.deliveries',
    'CREATE UNIQUE INDEX deliveries_once',
    'GRANT SELECT',
    `COMMENT ON TABLE public.knex_migrations IS '${NEWEST_BEFORE}'`,
  ]) {
    expect(fresh).toContain(part);
  }
});

test('up, down and up again leaves the same schema', async () => {
  const url = await server.createEmptyDatabase();
  await migrateDatabase(url, migrationSource);
  const first = await dumpSchema(url);

  const database = knex({ client: 'pg', connection: url, migrations: { migrationSource } });
  onTestFinished(() => database.destroy());
  await database.migrate.rollback(undefined, true);
  expect(await dumpSchema(url)).not.toMatch(/CREATE TABLE public\.(?!knex_migrations)/);
  await migrateDatabase(url, migrationSource);

  expect(await dumpSchema(url)).toBe(first);
});

test('the table that a restore makes before there is a schema is the one that the migration makes', async () => {
  const url = await server.createEmptyDatabase();
  await createHoldTable(openDatabase(url, onTestFinished));

  expect(await dumpUpgraded(url)).toBe(fresh);
});
