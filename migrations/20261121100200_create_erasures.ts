import type { Knex } from 'knex';

/**
 * Whom the site has forgotten on request, as keyed hashes only: what a restored backup brings back
 * is erased again. `key_id` names the secret the hash was made with.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('erasures', (table) => {
    table.text('subject_hash').primary();
    table.text('subject_kind').notNullable();
    table.text('key_id').notNullable();
    table.timestamp('erased_at').notNullable();
  });
  await knex.raw(`
    alter table erasures
      add constraint erasures_subject_kind check (subject_kind in ('email', 'submission'))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('erasures');
}
