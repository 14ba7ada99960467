import type { Knex } from 'knex';

/**
 * One row per day whose digest was begun: of any number of workers one sends it. `day` is a date
 * in the configured time zone; `sent_at` stays null while no try has succeeded.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table digests (
      day date primary key,
      attempts integer not null default 0,
      lease_until timestamptz not null,
      sent_at timestamptz
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table digests');
}
