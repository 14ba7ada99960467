import type { Knex } from 'knex';

/**
 * A delivery is about a submission or about a subscription. The version before writes and reads
 * those about submissions as ever and doesn't know the kind of the others. An address gets its mail
 * again when it subscribes again, so `deliveries_once` is for submissions only: a constraint can't
 * say so, an index can.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      add column subscription_id uuid
        constraint deliveries_subscription_id_foreign
        references newsletter_subscriptions (id) on delete cascade,
      alter column submission_id drop not null;
    create index deliveries_subscription on deliveries (subscription_id);
    alter table deliveries
      drop constraint deliveries_kind,
      drop constraint deliveries_once,
      add constraint deliveries_kind check (kind in ('follow-up', 'crm-export', 'newsletter')),
      add constraint deliveries_subject check (
        num_nonnulls(submission_id, subscription_id) = 1
        and (kind = 'newsletter') = (subscription_id is not null)
      );
    create unique index deliveries_once on deliveries (submission_id, kind, stage)
      nulls not distinct where submission_id is not null
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from deliveries where kind = 'newsletter';
    drop index deliveries_once;
    alter table deliveries
      drop constraint deliveries_subject,
      drop constraint deliveries_kind,
      add constraint deliveries_kind check (kind in ('follow-up', 'crm-export')),
      add constraint deliveries_once unique nulls not distinct (submission_id, kind, stage),
      drop column subscription_id,
      alter column submission_id set not null
  `);
}
