import type { Knex } from 'knex';

/**
 * The erasure log in `ERASURES_DIR` that belongs to this database: one row once a worker has begun the log.
 * It tells a restored database a missing log from an empty one, and its own from that of another
 * installation.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table erasure_list (
      only_row boolean primary key default true check (only_row),
      id uuid not null,
      begun_at timestamptz not null default now()
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table erasure_list');
}
