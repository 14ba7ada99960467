import type { Knex } from 'knex';

/**
 * Who refused a mail for the moment that others took: it is tried again for these `recipients` alone, and
 * `sent_at` is when the others had it. An alert's `sent_count` is how often it had been raised by then. The
 * version before ignores them: the mail stays as it was, sent to the others only.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table held_mails add column recipients text[];
    alter table digests add column recipients text[];
    alter table reports add column recipients text[];
    alter table alerts
      add column recipients text[],
      add column sent_count integer not null default 0
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table alerts drop column sent_count, drop column recipients;
    alter table reports drop column recipients;
    alter table digests drop column recipients;
    alter table held_mails drop column recipients
  `);
}
