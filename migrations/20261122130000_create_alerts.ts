import type { Knex } from 'knex';

/**
 * One row per alert and way of telling a person, so that of any number of processes one sends at most
 * one an hour. `count` is how often it was raised since it was last sent.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table alerts (
      name text not null,
      channel text not null,
      message text not null,
      details jsonb not null,
      first_raised_at timestamptz not null,
      last_raised_at timestamptz not null,
      count integer not null,
      sent_at timestamptz,
      attempts integer not null default 0,
      lease_until timestamptz,
      primary key (name, channel)
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table alerts');
}
