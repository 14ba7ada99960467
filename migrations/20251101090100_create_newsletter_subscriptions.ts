import type { Knex } from 'knex';

/**
 * One row per address that was ever given to the newsletter box. It gets the newsletter while
 * `confirmed_at` is set and `unsubscribed_at` is not. The limits of mails count all subscriptions of a
 * mailbox, such as `ada+1@example.org` and `ada+2@example.org` (`getMailboxKey`). The check has the same
 * limit as the table of contact requests.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table newsletter_subscriptions (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      mailbox text,
      created_at timestamptz not null default current_timestamp,
      confirmed_at timestamptz,
      unsubscribed_at timestamptz,
      constraint newsletter_subscriptions_email_unique unique (email),
      constraint newsletter_subscriptions_lengths check (char_length(email) between 3 and 254)
    );
    create index newsletter_subscriptions_mailbox on newsletter_subscriptions (mailbox)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table newsletter_subscriptions');
}
