import type { Database } from '../../shared/node/database/database.ts';

/** A table with its time columns. */
export interface TimedTable {
  readonly table: string;
  readonly columns: readonly string[];
  /** The names of all its columns except generated ones, separated by commas. */
  readonly writable: string;
}

/** Lists the site's tables in an order that allows inserting rows. */
export async function listTimedTables(database: Database): Promise<TimedTable[]> {
  const { rows } = await database.raw<{ rows: TimedTable[] }>(`
    select table_name as table,
      coalesce(array_agg(column_name::text) filter (where data_type = 'timestamp with time zone'), '{}') as columns,
      string_agg(column_name, ', ') filter (where is_generated = 'NEVER') as writable
    from information_schema.columns
    where table_schema = 'public' and table_name not like 'knex%'
    group by table_name order by table_name = 'deliveries', table_name`);

  return rows;
}

/**
 * Returns SQL that moves every stored time by a number of milliseconds. Moving all times back has the same effect as
 * setting the clock forward, which PostgreSQL can't do for one database.
 */
export const shiftTimes = (tables: readonly TimedTable[], ms: number): string =>
  tables
    .filter(({ columns }) => columns.length > 0)
    .map(({ table, columns }) => {
      const changes = columns.map((column) => `${column} = ${column} + interval '${ms} milliseconds'`);

      return `update ${table} set ${changes.join(', ')}`;
    })
    .join('; ');
