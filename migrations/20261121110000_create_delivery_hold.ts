import type { Knex } from 'knex';

/**
 * While this table has its row nothing is sent. A restore has made it alike before there was a schema,
 * and its row must outlive this. The version before doesn't know it and sends.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table if not exists delivery_hold (
      only_row boolean primary key default true check (only_row),
      held_at timestamptz not null default now(),
      backup_at timestamptz
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table delivery_hold');
}
