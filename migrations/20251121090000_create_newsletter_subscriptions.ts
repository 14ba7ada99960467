import type { Knex } from 'knex';

/**
 * One row per address that was ever given to the newsletter box. It gets the newsletter while
 * `confirmed_at` is set and `unsubscribed_at` is not. The check has the limit that the table of
 * contact requests has too.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table newsletter_subscriptions (
      id uuid primary key default gen_random_uuid(),
      email text not null,
      created_at timestamptz not null default current_timestamp,
      confirmed_at timestamptz,
      unsubscribed_at timestamptz,
      constraint newsletter_subscriptions_email_unique unique (email),
      constraint newsletter_subscriptions_lengths check (char_length(email) between 3 and 254)
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table newsletter_subscriptions');
}
