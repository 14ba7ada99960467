import type { Knex } from 'knex';

/**
 * Of due deliveries the lowest priority goes first: a request gets the number of those its network
 * sent before it. PostgreSQL writes no row for a constant default; the version before ignores it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table deliveries add column priority smallint not null default 0');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table deliveries drop column priority');
}
