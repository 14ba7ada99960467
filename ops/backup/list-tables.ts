import type { Database, Transaction } from '../../shared/node/database/database.ts';

/** A table, or a view, of a database, those of the system and of extensions apart. */
export interface Table {
  readonly schema: string;
  readonly name: string;
  /** Has rows of its own: no view, no parent of partitions. */
  readonly isPlain: boolean;
}

/** Everything in the database that has rows, by schema and name. */
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

/** How many rows the tables of the schema `public` have, by name. */
export type RowCounts = Readonly<Record<string, number>>;

/** Counts the rows of each of the tables that isn't in a schema of its own (the queue's is). */
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
