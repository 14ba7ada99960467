import type { Knex } from 'knex';

/**
 * A delivery is about a submission or about a subscription. The version before writes and reads
 * those about submissions as ever and doesn't know the kind of the others.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.alterTable('deliveries', (table) => {
    table.setNullable('submission_id');
    table
      .uuid('subscription_id')
      .references('id')
      .inTable('newsletter_subscriptions')
      .onDelete('CASCADE');
    table.index(['subscription_id'], 'deliveries_subscription');
  });

  // An address gets its mail again when it subscribes again, so `deliveries_once` is for
  // submissions only: a constraint can't say so, an index can.
  await knex.raw(`
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
  await knex('deliveries').where({ kind: 'newsletter' }).delete();
  await knex.raw(`
    drop index deliveries_once;
    alter table deliveries
      drop constraint deliveries_subject,
      drop constraint deliveries_kind,
      add constraint deliveries_kind check (kind in ('follow-up', 'crm-export')),
      add constraint deliveries_once unique nulls not distinct (submission_id, kind, stage)
  `);
  await knex.schema.alterTable('deliveries', (table) => {
    table.dropColumn('subscription_id');
    table.dropNullable('submission_id');
  });
}
