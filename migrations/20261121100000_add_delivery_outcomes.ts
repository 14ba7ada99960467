import type { Knex } from 'knex';

/**
 * What a delivery's tries have learnt: `remote_steps` has the other side's id of each step that is
 * done, so that a retry goes on where the last one stopped; `maybe_duplicate` says that an answer
 * was lost after everything had been handed over. A pause holds back a whole kind, because its
 * other side asks for time or refuses the credentials, or both; the latter ends when a worker starts,
 * for it may have new ones.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      add column remote_steps jsonb not null default '{}',
      add column maybe_duplicate boolean not null default false;
    create table delivery_pauses (
      kind text not null,
      until timestamptz not null,
      reason text not null,
      ends_with_restart boolean not null,
      primary key (kind, ends_with_restart)
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table delivery_pauses;
    alter table deliveries
      drop column remote_steps,
      drop column maybe_duplicate
  `);
}
