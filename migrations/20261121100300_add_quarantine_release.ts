import type { Knex } from 'knex';

/**
 * A request held as suspected spam and released later is promised an answer from `released_at` on.
 * A proof of work counts once: `spent_proofs` remembers it until its challenge expires.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('contact_submissions', (table) => {
    table.timestamp('released_at');
  });
  await knex.schema.createTable('spent_proofs', (table) => {
    table.text('challenge').primary();
    table.timestamp('expires_at').notNullable().index();
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('spent_proofs');
  await knex.schema.alterTable('contact_submissions', (table) => {
    table.dropColumn('released_at');
  });
}
