import knex, { type Knex } from 'knex';
import pg from 'pg';
import { Second } from '../../time.ts';
import { handleLostClients } from './database.ts';
import { SiteError } from '../logging/describe-error.ts';
import { listMigrationNames, migrationsFolder, readSchemaState, writeDemand } from './schema.ts';

/** Any number, the same for all starters; spells 'migr'. */
const ADVISORY_LOCK = 0x6d696772;

const TOO_NEW =
  'The database is of a version more than one step newer than this one: install a newer version, or restore a backup of this one.';

const migrationSource: Knex.MigrationSource<string> = {
  getMigrations: () => listMigrationNames(),
  getMigrationName: (name) => name,
  getMigration: (name) => import(new URL(name, migrationsFolder).href) as Promise<Knex.Migration>,
};

function createMigrationDatabase(url: string): Knex {
  return knex({
    client: 'pg',
    connection: {
      connectionString: url,
      application_name: 'migrate',
      connectionTimeoutMillis: 10 * Second,
      // A migration that waits for another's lock would stop the site; it fails instead.
      options: `-c lock_timeout=${5 * Second}`,
    },
    pool: { min: 0, max: 2 },
    // A schema one step newer has migrations that aren't here; one that is too new is told apart.
    migrations: { migrationSource, disableMigrationsListValidation: true },
  });
}

/**
 * Applies the pending migrations and returns their file names. Starters wait for each other on a
 * session lock, since Knex's own lock fails for several at once on an empty database.
 * @throws when PostgreSQL can't be reached, when a migration fails (all of the run are rolled back), or
 *   when the schema is more than one step newer than this version
 */
export async function migrateDatabase(url: string): Promise<string[]> {
  const lockHolder = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: 10 * Second,
    // The lock of a migrator whose machine died would hold up the next one.
    options: handleLostClients,
  });
  const database = createMigrationDatabase(url);

  try {
    await lockHolder.connect();
    await lockHolder.query('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await freeAbandonedLock(database);
    if ((await readSchemaState(database)) === 'too-new') throw new SiteError(TOO_NEW);
    const [, applied] = (await database.migrate.latest()) as [number, string[]];
    await writeDemand(database);

    return applied;
  } finally {
    await database.destroy();
    // Ending the session releases the lock.
    await lockHolder.end();
  }
}

/** Takes back all migrations; for tests and for development. */
export async function rollbackDatabase(url: string): Promise<void> {
  const database = createMigrationDatabase(url);

  try {
    await database.migrate.rollback(undefined, true);
  } finally {
    await database.destroy();
  }
}

/** Knex's lock row outlives a killed migrator; whoever holds the session lock may clear it. */
async function freeAbandonedLock(database: Knex): Promise<void> {
  if (await database.schema.hasTable('knex_migrations_lock')) {
    await database.migrate.forceFreeMigrationsLock();
  }
}

