import type { Knex } from 'knex';

/**
 * One row per mail to sales that lists held requests: `lease_until` is when it may be tried (again),
 * `unanswered` counts the tries of which nobody knows whether the mail was taken, `sent_at` stays
 * null until it is settled. A held request names its mail in `held_mail_id`, without a foreign key:
 * deleting an old mail would read all requests. `spam_at` is when sales marked it as spam.
 * The index has what no mail lists yet; the version before does without all of it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table held_mails (
      id uuid primary key default gen_random_uuid(),
      attempts integer not null default 0,
      unanswered integer not null default 0,
      lease_until timestamptz not null,
      sent_at timestamptz
    );
    alter table contact_submissions
      add column held_mail_id uuid,
      add column spam_at timestamptz;
    create index contact_submissions_unreported on contact_submissions (quarantined_at)
      where quarantined_at is not null and anonymised_at is null
        and spam_at is null and held_mail_id is null
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index contact_submissions_unreported;
    alter table contact_submissions
      drop column spam_at,
      drop column held_mail_id;
    drop table held_mails
  `);
}
