import type { Knex } from 'knex';

/**
 * One row per mail to sales that lists held requests. It may be tried (again) from `lease_until` on.
 * `unanswered` counts the tries after which nobody knows whether the mail was taken. After a permanent
 * refusal (`refused_at`) the mail goes without any words of visitors, which may have been the reason.
 * Recipients that refused it temporarily are in `recipients`: it is tried again for these alone, and
 * `sent_at` is when the others got it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table held_mails (
      id uuid primary key default gen_random_uuid(),
      attempts integer not null default 0,
      unanswered integer not null default 0,
      lease_until timestamptz not null,
      sent_at timestamptz,
      refused_at timestamptz,
      recipients text[]
    )
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table held_mails');
}
