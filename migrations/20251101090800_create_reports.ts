import type { Knex } from 'knex';

/**
 * One row per weekly report, so that only one of several workers sends it. `day` is the week's Monday in the
 * configured time zone. `sent_at` and `recipients` are as in `held_mails`.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table reports (
      day date primary key,
      attempts integer not null default 0,
      lease_until timestamptz not null,
      sent_at timestamptz,
      recipients text[]
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table reports');
}
