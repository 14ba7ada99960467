import type { Knex } from 'knex';

/**
 * Which list of erasures in `ERASURES_DIR` belongs to this database: one row once a worker has begun
 * it, none before. A restored database so knows a list that is missing from one that is empty, and its
 * own from that of another installation. The version before neither reads nor writes it.
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
