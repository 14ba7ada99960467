import { readdir } from 'node:fs/promises';
import type { Database } from './database.ts';
import { getErrorCode } from './error-code.ts';

/** The folder with one file per migration. */
export const migrationsFolder = new URL('../../migrations/', import.meta.url);

/** Migration files begin with a UTC timestamp; the entry file beside them doesn't. */
const MIGRATION_FILE = /^\d{14}_[a-z0-9_]+\.ts$/;

const UNDEFINED_TABLE = '42P01';

/** Names of all migrations this version brings, in order. */
export async function listMigrationNames(): Promise<string[]> {
  const files = await readdir(migrationsFolder);

  return files.filter((file) => MIGRATION_FILE.test(file)).sort();
}

/**
 * Whether the database has every migration of this version. A newer database counts as current:
 * migrations keep the version before them working.
 * @throws when the database can't be asked
 */
export async function isSchemaCurrent(database: Database): Promise<boolean> {
  const names = await listMigrationNames();

  try {
    const rows = await database<{ name: string }>('knex_migrations').select('name').timeout(1_000);
    const applied = new Set(rows.map(({ name }) => name));

    return names.every((name) => applied.has(name));
  } catch (error) {
    if (getErrorCode(error) === UNDEFINED_TABLE) return false;
    throw error;
  }
}
