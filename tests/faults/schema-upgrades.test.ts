import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createHoldTable } from '../../shared/node/deliveries/delivery-hold.ts';
import { PREVIOUS_NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { runMigrations } from '../support/database-roles.ts';
import { openDatabase } from '../support/database.ts';
import { runMigrator } from '../support/migrator.ts';
import { checkOutPreviousVersion } from '../support/previous-version.ts';
import { startSystemPostgres, type SystemPostgres } from '../support/system-postgres.ts';

let server: SystemPostgres;
let fresh: string;
beforeAll(async () => {
  server = await startSystemPostgres();
  fresh = await dumpUpgraded(await server.createEmptyDatabase());
});
afterAll(() => server.remove());

/** Returns the whole schema as SQL, including checks, indexes, comments, owners and grants. */
async function dumpSchema(url: string): Promise<string> {
  const { stdout } = await promisify(execFile)(join(server.programs, 'pg_dump'), ['--schema-only', url]);

  // Each dump has a different key for psql's \restrict.
  return stdout.replaceAll(/^\\(un)?restrict .*\n/gm, '');
}

/** Runs this version's migrations for the three roles and returns the schema. */
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
    // With several roles, Redis is required for the jobs, but the migrations don't connect to it.
    REDIS_URL: 'redis://localhost',
  });

  return dumpSchema(url);
}

test('an upgraded site has the same schema as a new site', async () => {
  const url = await server.createEmptyDatabase();
  const previous = { folder: await checkOutPreviousVersion(onTestFinished) };
  const { exitCode, output } = await runMigrator({ DATABASE_URL: url, REDIS_URL: 'redis://localhost' }, previous);
  expect(exitCode, output).toBe(0);
  const applied = await openDatabase(url, onTestFinished)('knex_migrations').pluck<string[]>('name');
  expect(applied.sort().at(-1)).toBe(PREVIOUS_NEWEST_MIGRATION);

  expect(fresh).toContain('CREATE TABLE public.deliveries');
  expect(fresh).toContain('GRANT SELECT');
  expect(await dumpUpgraded(url)).toBe(fresh);
});

test('a restore into an empty database creates the same hold table as the migrations', async () => {
  const url = await server.createEmptyDatabase();
  await createHoldTable(openDatabase(url, onTestFinished));

  expect(await dumpUpgraded(url)).toBe(fresh);
});
