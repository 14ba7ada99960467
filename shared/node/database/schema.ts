import type { Database } from './database.ts';
import { getErrorCode } from '../logging/error-code.ts';

/**
 * The newest migration of this version: who looks for it need not know the others, nor their folder.
 * Names begin with a time and grow, so a greater one is of a newer version.
 */
export const NEWEST_MIGRATION = '20261122140000_create_held_mails.ts';

/**
 * The newest migration that the version before this one knows. The schema of this version works for
 * all who know it, and for nobody older. A release that brings migrations raises it.
 */
export const NEWEST_BEFORE = '20261121100300_add_quarantine_release.ts';

/** No migration ran yet, or none that gave this role its rights. */
const NOT_MIGRATED = ['42P01', '42501'];

/** `behind`: migrations of this version are missing. `too-new`: this version no longer works on it. */
export type SchemaState = 'current' | 'behind' | 'too-new';

/**
 * What the schema demands of those who use it, the migration they must know, if it says; and whether it
 * has the newest of this version. All of a version are applied in one transaction.
 */
async function readSchema(database: Database) {
  const { rows } = await database
    .raw<{ rows: Array<{ demand: string | null; hasNewest: boolean }> }>(
      `select obj_description('knex_migrations'::regclass, 'pg_class') as demand,
        exists (select from knex_migrations where name = ?) as "hasNewest"`,
      [NEWEST_MIGRATION],
    )
    .timeout(1_000);

  return { demand: null, hasNewest: false, ...rows[0] };
}

/**
 * Writes down which versions the schema works for; see `NEWEST_BEFORE`. A migrator that is older than the
 * schema changes nothing.
 */
export async function writeDemand(database: Database): Promise<void> {
  const { demand } = await readSchema(database);
  if (demand !== null && demand >= NEWEST_BEFORE) return;

  await database.raw(`comment on table knex_migrations is '${NEWEST_BEFORE}'`);
}

/**
 * How the database stands to this version. One that is a step newer counts as current: migrations
 * keep the version before them working.
 * @throws when the database can't be asked
 */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  try {
    const { demand, hasNewest } = await readSchema(database);
    if (demand !== null && demand > NEWEST_MIGRATION) return 'too-new';

    return hasNewest ? 'current' : 'behind';
  } catch (error) {
    if (NOT_MIGRATED.includes(getErrorCode(error) ?? '')) return 'behind';
    throw error;
  }
}
