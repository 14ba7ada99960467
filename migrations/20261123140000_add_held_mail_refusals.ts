import type { Knex } from 'knex';

/**
 * When the mail server refused a mail about held requests for good. A stranger's words may be why: from
 * then on the mail goes without any. The version before ignores it, and tries the same mail again.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table held_mails add column refused_at timestamptz');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table held_mails drop column refused_at');
}
