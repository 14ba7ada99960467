import type { Knex } from 'knex';

/**
 * One row per day whose digest was begun: of any number of workers one sends it. `day` is a date
 * in the configured time zone; `sent_at` stays null while no try has succeeded.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('digests', (table) => {
    table.date('day').primary();
    table.integer('attempts').notNullable().defaultTo(0);
    table.timestamp('lease_until').notNullable();
    table.timestamp('sent_at');
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('digests');
}
