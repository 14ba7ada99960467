import type { Knex } from 'knex';

/** Mails that tell sales what was done about a request by a link that may have been quoted. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat', 'outcome'))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from deliveries where kind = 'outcome';
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat'))
  `);
}
