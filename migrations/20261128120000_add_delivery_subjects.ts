import type { Knex } from 'knex';

/**
 * Deliveries about something without a table, named by `subject`. Kinds are the code's: a new one needs no migration.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      add column subject text,
      drop constraint deliveries_kind,
      drop constraint deliveries_subject,
      add constraint deliveries_subject check (
        num_nonnulls(submission_id, subscription_id, subject) = 1
        and (kind = 'newsletter') = (subscription_id is not null)
      );
    create unique index deliveries_once_per_subject on deliveries (kind, subject, recipient)
      nulls not distinct where subject is not null
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from deliveries where subject is not null;
    alter table deliveries
      drop constraint deliveries_subject,
      drop column subject,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat', 'outcome')),
      add constraint deliveries_subject check (
        num_nonnulls(submission_id, subscription_id) = 1
        and (kind = 'newsletter') = (subscription_id is not null)
      )
  `);
}
