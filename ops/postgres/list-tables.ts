import type { Database, Transaction } from '../../shared/node/database/database.ts';

/** A table or view that belongs neither to the system nor to an extension. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  /** False for views and partitioned tables, which store no rows themselves. */
  readonly isPlain: boolean;
}

/** Returns the database's tables and views, ordered by schema and name. */
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

/** Returns the number of rows in each table of the `public` schema. */
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

/** Tables in every backup of a site. */
const REQUIRED_TABLES = ['contact_submissions', 'deliveries', 'knex_migrations'];

/** Returns the required tables that are missing from a backup or database. The site's own database has them all. */
export function listMissingTables(tables: ReadonlyArray<{ readonly schema: string; readonly name: string }>): string[] {
  const found = new Set(tables.filter(({ schema }) => schema === 'public').map(({ name }) => name));

  return REQUIRED_TABLES.filter((name) => !found.has(name));
}
