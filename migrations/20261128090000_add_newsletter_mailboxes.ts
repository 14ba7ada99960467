import type { Knex } from 'knex';

/**
 * The limits of mails count all subscriptions of a mailbox, such as `ada+1@example.org` and `ada+2@example.org`
 * (`getMailboxKey`). It is null in rows of the version before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table newsletter_subscriptions add column mailbox text;
    create index newsletter_subscriptions_mailbox on newsletter_subscriptions (mailbox)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table newsletter_subscriptions drop column mailbox');
}
