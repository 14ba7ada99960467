import type { Knex } from 'knex';

/**
 * The delivery that is tried next is the first row of an index: without it each claim sorts all that are due of its
 * kind, which may be hundreds of thousands of exports once a CRM is set. The version before reads it as well.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(
    "create index deliveries_pending_by_priority on deliveries (kind, priority, due_at, id) where state = 'pending'",
  );
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index deliveries_pending_by_priority');
}
