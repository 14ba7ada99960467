import type { Knex } from 'knex';

/** The pages that a visitor opened before the request, as a list of paths in their order. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table contact_submissions add column visited_paths jsonb');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table contact_submissions drop column visited_paths');
}
