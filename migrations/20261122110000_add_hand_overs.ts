import type { Knex } from 'knex';

/**
 * `handed_over_at` is when the last try was about to end a mail: written before the mail's last bytes,
 * so that a killed worker leaves a trace of what may have been taken. `lost_answers` counts the
 * hand-overs whose outcome nobody knows; `maybe_duplicate` also has other causes, such as a restore.
 * A delivery with a `recipient` is for that address of sales alone, which refused the mail to all for
 * the moment. The version before sends such a mail to all of sales, and writes nothing of this.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries
      add column handed_over_at timestamptz,
      add column lost_answers integer not null default 0,
      add column recipient text;
    create unique index deliveries_once_each on deliveries (submission_id, kind, stage, recipient)
      nulls not distinct where submission_id is not null;
    drop index deliveries_once;
    alter index deliveries_once_each rename to deliveries_once
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from deliveries where recipient is not null;
    create unique index deliveries_once_all on deliveries (submission_id, kind, stage)
      nulls not distinct where submission_id is not null;
    drop index deliveries_once;
    alter index deliveries_once_all rename to deliveries_once;
    alter table deliveries
      drop column recipient,
      drop column lost_answers,
      drop column handed_over_at
  `);
}
