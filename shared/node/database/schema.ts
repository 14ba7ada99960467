import { readdir } from 'node:fs/promises';
import type { Database } from './database.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/** The folder with one file per migration. */
export const migrationsFolder = new URL('../../../migrations/', import.meta.url);

/** Migration files begin with a UTC timestamp; the entry file beside them doesn't. */
const MIGRATION_FILE = /^\d{14}_[a-z0-9_]+\.ts$/;

/**
 * The newest migration that the version before this one knows. The schema of this version works for
 * all who know it, and for nobody older. A release that brings migrations raises it.
 */
export const NEWEST_BEFORE = '20261121100300_add_quarantine_release.ts';

/** No migration ran yet, or none that gave this role its rights. */
const NOT_MIGRATED = ['42P01', '42501'];

/** `behind`: migrations of this version are missing. `too-new`: this version no longer works on it. */
export type SchemaState = 'current' | 'behind' | 'too-new';

/** Names of all migrations this version brings, in order. */
export async function listMigrationNames(): Promise<string[]> {
  const files = await readdir(migrationsFolder);

  return files.filter((file) => MIGRATION_FILE.test(file)).sort();
}

/** What the schema demands of those who use it: the migration they must know, if it says. */
async function readDemand(database: Database): Promise<string | null> {
  const { rows } = await database
    .raw<{ rows: Array<{ demand: string | null }> }>(
      "select obj_description('knex_migrations'::regclass, 'pg_class') as demand",
    )
    .timeout(1_000);

  return rows[0]?.demand ?? null;
}

/**
 * Writes down which versions the schema works for; see `NEWEST_BEFORE`. A migrator that is older than the
 * schema changes nothing.
 */
export async function writeDemand(database: Database): Promise<void> {
  const demand = await readDemand(database);
  if (demand !== null && demand >= NEWEST_BEFORE) return;

  await database.raw(`comment on table knex_migrations is '${NEWEST_BEFORE}'`);
}

/**
 * How the database stands to this version. One that is a step newer counts as current: migrations
 * keep the version before them working.
 * @throws when the database can't be asked
 */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  const names = await listMigrationNames();

  try {
    const rows = await database<{ name: string }>('knex_migrations').select('name').timeout(1_000);
    const applied = new Set(rows.map(({ name }) => name));
    const demand = await readDemand(database);
    if (demand !== null && !names.includes(demand)) return 'too-new';

    return names.every((name) => applied.has(name)) ? 'current' : 'behind';
  } catch (error) {
    if (NOT_MIGRATED.includes(getErrorCode(error) ?? '')) return 'behind';
    throw error;
  }
}
