import type { Knex } from 'knex';

/**
 * The mail that tells a visitor that a request has arrived is a kind of delivery. An address gets one a
 * day, which the index finds by when each was handed over. `email_refused_at` is when the mail server
 * refused the address for good. The version before leaves such deliveries pending.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment'));
    create index deliveries_acknowledged on deliveries (handed_over_at) where kind = 'acknowledgment';
    alter table contact_submissions add column email_refused_at timestamptz
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table contact_submissions drop column email_refused_at;
    drop index deliveries_acknowledged;
    delete from deliveries where kind = 'acknowledgment';
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind check (kind in ('follow-up', 'crm-export', 'newsletter'))
  `);
}
