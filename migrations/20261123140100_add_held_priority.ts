import type { Knex } from 'knex';

/**
 * Of held requests the lowest priority comes first in the mail to sales: like `deliveries.priority`, how
 * many its network sent before it. PostgreSQL writes no row for a constant default; the version before
 * ignores it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    'alter table contact_submissions add column held_priority smallint not null default 0',
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table contact_submissions drop column held_priority');
}
