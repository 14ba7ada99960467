import type { Database, Transaction } from '../../shared/node/database/database.ts';

/** A table or view of a database, except those of the system and of extensions. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  /** Stores rows itself: neither a view nor a partitioned table. */
  readonly isPlain: boolean;
}

/** The tables and views of the database, by schema and name. */
export async function listTables(database: Database | Transaction): Promise<Table[]> {
  const { rows } = await database.raw<{ rows: Table[] }>(`
    select space.nspname as schema, class.relname as name, class.relkind = 'r' as "isPlain"
    from pg_class class join pg_namespace space on space.oid = class.relnamespace
    where class.relkind in ('r', 'p', 'v', 'm', 'f')
      and space.nspname !~ '^pg_' and space.nspname <> 'information_schema'
      and not exists (
        select from pg_depend
        where classid = 'pg_class'::regclass and objid = class.oid and deptype = 'e'
      )
    order by 1, 2
  `);

  return rows;
}

export type RowCounts = Readonly<Record<string, number>>;

/** Counts the rows of those `tables` that are in the schema `public`. */
export async function countRows(
  database: Database | Transaction,
  tables: readonly Table[],
): Promise<RowCounts> {
  const counts: Record<string, number> = {};
  for (const { name } of tables.filter(({ schema }) => schema === 'public')) {
    const row = await database(name).first<{ count: number }>(
      database.raw('count(*)::float8 as count'),
    );
    counts[name] = row.count;
  }

  return counts;
}

/** Tables that every backup of this site has. */
const REQUIRED_TABLES = ['contact_submissions', 'deliveries', 'knex_migrations'];

/** Which of these are not among the tables of a backup or a database; none, where it is this site's. */
export function listMissingTables(tables: ReadonlyArray<{ readonly schema: string; readonly name: string }>): string[] {
  const found = new Set(tables.filter(({ schema }) => schema === 'public').map(({ name }) => name));

  return REQUIRED_TABLES.filter((name) => !found.has(name));
}
