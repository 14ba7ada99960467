import type { Knex } from 'knex';

/**
 * What is open is read kind by kind: exports may wait for a CRM for months, and nobody reads past them
 * at every sweep. The version before sorts what it reads instead.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index deliveries_open_of_kind on deliveries (kind, due_at, id)
      where state in ('pending', 'leased');
    drop index deliveries_open
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    create index deliveries_open on deliveries (due_at, id) where state in ('pending', 'leased');
    drop index deliveries_open_of_kind
  `);
}
