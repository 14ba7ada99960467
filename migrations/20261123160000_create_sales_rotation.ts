import type { Knex } from 'knex';

/**
 * Whose turn it is where requests go round (`SALES_ASSIGNMENT=rotate`): a row for each address of sales that had a
 * turn or was away. An event `rotate` records that a request was given to somebody in turn, or that everybody was
 * away. The version before writes and reads neither.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table sales_rotation (
      address text primary key,
      last_assigned_at timestamptz,
      away_until timestamptz
    );
    alter table submission_events
      drop constraint submission_events_what,
      add constraint submission_events_what
        check (what in ('contacted', 'snooze', 'assign', 'unfit', 'rotate'))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    delete from submission_events where what = 'rotate';
    alter table submission_events
      drop constraint submission_events_what,
      add constraint submission_events_what check (what in ('contacted', 'snooze', 'assign', 'unfit'));
    drop table sales_rotation
  `);
}
