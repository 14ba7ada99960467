import type { Database } from './database.ts';
import { getErrorCode } from '../logging/describe-error.ts';

/** This version's newest migration. Names begin with a timestamp. */
export const NEWEST_MIGRATION = '20261128160000_add_asked_again_event.ts';

/** The previous version's newest migration. That version works with this schema. Update in releases with migrations. */
export const PREVIOUS_NEWEST_MIGRATION = '20251101091100_create_erasure_list.ts';

/** SQLSTATEs that queries return before the first migration, or before this role has its privileges. */
const NOT_MIGRATED = ['42P01', '42501'];

/** `behind`: migrations of this version are missing. `too-new`: this version doesn't work with the schema. */
export type SchemaState = 'current' | 'behind' | 'too-new';

/** Reads which migration a version must know to work with the schema, and whether our newest one is applied. */
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

/** Records in a comment on `knex_migrations` which versions work with the schema. Keeps a newer version's record. */
export async function recordRequiredMigration(database: Database): Promise<void> {
  const { required } = await readSchema(database);
  if (required !== null && required >= PREVIOUS_NEWEST_MIGRATION) return;

  await database.raw(`comment on table knex_migrations is '${PREVIOUS_NEWEST_MIGRATION}'`);
}

/** Returns whether this version works with the schema. A schema one version newer counts as current. */
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
