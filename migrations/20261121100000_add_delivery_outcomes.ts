import type { Knex } from 'knex';

/**
 * What a delivery's tries have learnt: `remote_steps` has the other side's id of each step that is
 * done, so that a retry goes on where the last one stopped; `maybe_duplicate` says that an answer
 * was lost after everything had been handed over. A pause holds back a whole kind, because its
 * other side asks for time or refuses the credentials, or both; the latter ends when a worker starts,
 * for it may have new ones.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('deliveries', (table) => {
    table.jsonb('remote_steps').notNullable().defaultTo('{}');
    table.boolean('maybe_duplicate').notNullable().defaultTo(false);
  });
  await knex.schema.createTable('delivery_pauses', (table) => {
    table.text('kind').notNullable();
    table.timestamp('until').notNullable();
    table.text('reason').notNullable();
    table.boolean('ends_with_restart').notNullable();
    table.primary(['kind', 'ends_with_restart']);
  });
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('delivery_pauses');
  await knex.schema.alterTable('deliveries', (table) => {
    table.dropColumns('remote_steps', 'maybe_duplicate');
  });
}
