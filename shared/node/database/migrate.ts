import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';
import { Second } from '../../time.ts';
import { SiteError, getErrorCode } from '../logging/describe-error.ts';
import { KEEPALIVE_OPTIONS, mergeConnection, isDatabaseUnavailable } from './database.ts';
import { readSchemaState, recordRequiredMigration } from './schema.ts';
import type { Config } from '../config/config.ts';
import { ensureRoles, grantPrivileges } from './roles.ts';
import { explainRefusedLogin } from './try-login.ts';

const MIGRATION_LOCK = 0x6d696772;

const TOO_NEW =
  'The schema is more than one step newer than this version. Install a newer version, or restore a backup of this one.';

function createMigrationDatabase(url: string, migrationSource: Knex.MigrationSource<string>): Knex {
  return knex({
    client: 'pg',
    connection: mergeConnection(url, {
      application_name: 'migrate',
      connectionTimeoutMillis: 10 * Second,
      // Fail instead of waiting: a statement that waits for a table's lock blocks all later ones.
      options: `-c lock_timeout=${5 * Second}`,
    }),
    pool: { min: 0, max: 2 },
    // The schema may be one version newer, with migrations that are missing here. Anything newer is rejected below.
    migrations: { migrationSource, disableMigrationsListValidation: true },
  });
}

/** Releases Knex's own lock, which a killed migrator may have left behind. The caller must hold the session lock. */
async function releaseAbandonedLock(database: Knex): Promise<void> {
  if (await database.schema.hasTable('knex_migrations_lock')) {
    await database.migrate.forceFreeMigrationsLock();
  }
}

/** Applies the pending migrations and returns their names. Concurrent migrators wait for each other. */
export async function migrateDatabase(
  url: string,
  source: Knex.MigrationSource<string>,
): Promise<string[]> {
  const lockHolder = new pg.Client(
    mergeConnection(url, {
      connectionTimeoutMillis: 10 * Second,
      // Otherwise, a lock held by a lost machine would block the next migrator.
      options: KEEPALIVE_OPTIONS,
    }),
  );
  // An error on the idle lock holder's connection must not end the process. The other connection reports outages.
  lockHolder.on('error', () => undefined);
  const database = createMigrationDatabase(url, source);

  try {
    await lockHolder.connect();
    await lockHolder.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await releaseAbandonedLock(database);
    if ((await readSchemaState(database)) === 'too-new') throw new SiteError(TOO_NEW);
    const [, applied] = (await database.migrate.latest()) as [number, string[]];
    await recordRequiredMigration(database);

    return applied;
  } finally {
    await database.destroy();
    // Ending the session releases the lock.
    await lockHolder.end();
  }
}

/** Returns advice for the operator if the settings or the server caused the error. Returns other errors as is. */
function explainFailure(error: unknown): unknown {
  const code = getErrorCode(error);
  if (code !== undefined && isDatabaseUnavailable(error)) {
    return new SiteError(`PostgreSQL can't be used (${code}): is it running, and is DATABASE_URL right?`);
  }
  if (code === '42501') return new SiteError(`The role in DATABASE_URL isn't allowed to change the schema (${code}): does it own the database?`);
  if (code === '42704') return new SiteError(`The role in DATABASE_APP_URL or DATABASE_WEB_URL does not exist (${code}).`);

  return error;
}

/** Applies the pending migrations and sets up the configured roles. Returns the names of the applied migrations. */
export async function migrateSite(
  { databaseUrl: ownerUrl, roles }: Pick<Config, 'databaseUrl' | 'roles'>,
  source: Knex.MigrationSource<string>,
): Promise<string[]> {
  const { adminUrl, appUrl, webUrl } = roles;
  try {
    if (adminUrl && appUrl) await ensureRoles(adminUrl, { ownerUrl, appUrl, webUrl });
    const applied = await migrateDatabase(ownerUrl, source);
    if (appUrl) await grantPrivileges({ ownerUrl, appUrl, webUrl });

    return applied;
  } catch (error) {
    throw explainRefusedLogin(error, adminUrl ? 'DATABASE_ADMIN_URL' : 'DATABASE_URL') ?? explainFailure(error);
  }
}
