import type { Knex } from 'knex';
import { contactLimits } from '../shared/contact/contact-schema.ts';

/**
 * One row per address that was ever given to the newsletter box. It gets the newsletter while
 * `confirmed_at` is set and `unsubscribed_at` is not. The check uses the limit that the table of
 * contact requests has too.
 */
export async function up(knex: Knex): Promise<void> {
  const { min, max } = contactLimits.email;

  await knex.schema.createTable('newsletter_subscriptions', (table) => {
    table.uuid('id').primary().defaultTo(knex.raw('gen_random_uuid()'));
    table.text('email').notNullable().unique();
    table.timestamp('created_at').notNullable().defaultTo(knex.fn.now());
    table.timestamp('confirmed_at');
    table.timestamp('unsubscribed_at');
  });
  await knex.raw(`
    alter table newsletter_subscriptions
      add constraint newsletter_subscriptions_lengths
        check (char_length(email) between ${min} and ${max})
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('newsletter_subscriptions');
}
