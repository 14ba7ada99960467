import type { Knex } from 'knex';

/** There is no proof of work any more, and the requests of a network have no priorities. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table spent_proofs;
    drop index deliveries_pending_by_priority;
    alter table deliveries drop column priority;
    alter table contact_submissions drop column held_priority
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table contact_submissions add column held_priority smallint not null default 0;
    alter table deliveries add column priority smallint not null default 0;
    create index deliveries_pending_by_priority on deliveries (kind, priority, due_at, id) where state = 'pending';
    create table spent_proofs (challenge text primary key, expires_at timestamptz not null);
    create index spent_proofs_expires_at_index on spent_proofs (expires_at)
  `);
}
