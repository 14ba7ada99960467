import type { Database } from './database.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/**
 * The newest migration of this version, so that web and worker needn't read the folder of migrations.
 * Names begin with a timestamp, so a greater one is newer.
 */
export const NEWEST_MIGRATION = '20261128150000_create_form_trial.ts';

/**
 * The newest migration of the version before this one, which is the oldest version that works on this
 * schema. A release with migrations raises it.
 */
export const NEWEST_BEFORE = '20251101091100_create_erasure_list.ts';

/** SQLSTATEs before the first migration, or before this role has its privileges. */
const NOT_MIGRATED = ['42P01', '42501'];

/** `behind`: migrations of this version are missing. `too-new`: this version doesn't work on it. */
export type SchemaState = 'current' | 'behind' | 'too-new';

/**
 * The migration that a version must know to work on the schema, if it is recorded; and whether the
 * schema has the newest of this version. Those of one version are applied in one transaction.
 */
async function readSchema(database: Database) {
  const { rows } = await database
    .raw<{ rows: Array<{ required: string | null; hasNewest: boolean }> }>(
      `select obj_description('knex_migrations'::regclass, 'pg_class') as required,
        exists (select from knex_migrations where name = ?) as "hasNewest"`,
      [NEWEST_MIGRATION],
    )
    .timeout(1_000);

  return { required: null, hasNewest: false, ...rows[0] };
}

/**
 * Records in a comment on `knex_migrations` which versions work on the schema (`NEWEST_BEFORE`). An older
 * migrator than the last one changes nothing.
 */
export async function recordRequiredMigration(database: Database): Promise<void> {
  const { required } = await readSchema(database);
  if (required !== null && required >= NEWEST_BEFORE) return;

  await database.raw(`comment on table knex_migrations is '${NEWEST_BEFORE}'`);
}

/**
 * Whether this version works on the schema. A schema one version newer counts as current: migrations
 * keep the version before them working.
 * @throws when the database can't be reached
 */
export async function readSchemaState(database: Database): Promise<SchemaState> {
  try {
    const { required, hasNewest } = await readSchema(database);
    if (required !== null && required > NEWEST_MIGRATION) return 'too-new';

    return hasNewest ? 'current' : 'behind';
  } catch (error) {
    if (NOT_MIGRATED.includes(getErrorCode(error) ?? '')) return 'behind';
    throw error;
  }
}
