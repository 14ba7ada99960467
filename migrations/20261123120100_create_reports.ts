import type { Knex } from 'knex';

/**
 * One row per week whose report was begun, as `digests` has one per day: of any number of workers one sends it.
 * `day` is the week's Monday in the configured time zone.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table reports (
      day date primary key,
      attempts integer not null default 0,
      lease_until timestamptz not null,
      sent_at timestamptz
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table reports');
}
