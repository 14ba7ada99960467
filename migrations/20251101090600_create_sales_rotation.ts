import type { Knex } from 'knex';

/** A row for each address of sales that had a turn (`SALES_ASSIGNMENT=rotate`) or was away. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sales_rotation (
      address text primary key,
      last_assigned_at timestamptz,
      away_until timestamptz
    )
  `);
}
