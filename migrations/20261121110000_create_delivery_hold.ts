import type { Knex } from 'knex';
import { createHoldTable } from '../shared/node/deliveries/delivery-hold.ts';

/**
 * While this table has its row nothing is sent. A restore has made it before there was a schema, and
 * its row must outlive this. The version before doesn't know it and sends.
 */
export async function up(knex: Knex): Promise<void> {
  await createHoldTable(knex);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('delivery_hold');
}
