import type { Knex } from 'knex';

/**
 * The outbox: one row per thing to do for a submission. Beside the columns others rely on,
 * `retry_at` is the earliest time of the next try after a failure (`due_at` stays the promise)
 * and `lease_expiries` counts the tries that ended without a word, to stop at a poisonous one.
 * The sweep reads what is open every half minute, among years of finished rows.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table deliveries (
      id uuid primary key default gen_random_uuid(),
      submission_id uuid not null,
      kind text not null,
      stage text,
      due_at timestamptz not null,
      state text not null default 'pending',
      attempts integer not null default 0,
      lease_until timestamptz,
      lease_token uuid,
      remote_ref text,
      last_error text,
      sent_at timestamptz,
      retry_at timestamptz,
      lease_expiries integer not null default 0,
      constraint deliveries_submission_id_foreign
        foreign key (submission_id) references contact_submissions (id) on delete cascade,
      constraint deliveries_kind check (kind in ('follow-up', 'crm-export')),
      constraint deliveries_stage check (stage in ('new', 'reminder', 'due')),
      constraint deliveries_state
        check (state in ('pending', 'leased', 'sent', 'cancelled', 'dead')),
      constraint deliveries_lease
        check ((state = 'leased') = (lease_token is not null and lease_until is not null)),
      constraint deliveries_once unique nulls not distinct (submission_id, kind, stage)
    );
    create index deliveries_open on deliveries (due_at, id) where state in ('pending', 'leased')
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table deliveries');
}
