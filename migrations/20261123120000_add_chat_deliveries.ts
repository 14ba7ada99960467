import type { Knex } from 'knex';

/**
 * Announcements of requests in a chat. The version before writes none and leaves those it finds alone: it
 * looks for what is due kind by kind.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment', 'chat'))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from deliveries where kind = 'chat';
    alter table deliveries
      drop constraint deliveries_kind,
      add constraint deliveries_kind
        check (kind in ('follow-up', 'crm-export', 'newsletter', 'acknowledgment'))
  `);
}
