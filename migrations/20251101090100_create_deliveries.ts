import type { Knex } from 'knex';
import { deliveryStates, followUpStages } from '../shared/deliveries/delivery.ts';

/** The kinds there were when this was released; a later migration adds to them. */
const deliveryKinds = ['follow-up', 'crm-export'];

const quote = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');

/**
 * The outbox: one row per thing to do for a submission. Beside the columns others rely on,
 * `retry_at` is the earliest time of the next try after a failure (`due_at` stays the promise)
 * and `lease_expiries` counts the tries that ended without a word, to stop at a poisonous one.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('deliveries', (table) => {
    table.uuid('id').primary().defaultTo(knex.raw('gen_random_uuid()'));
    table
      .uuid('submission_id')
      .notNullable()
      .references('id')
      .inTable('contact_submissions')
      .onDelete('CASCADE');
    table.text('kind').notNullable();
    table.text('stage');
    table.timestamp('due_at').notNullable();
    table.text('state').notNullable().defaultTo('pending');
    table.integer('attempts').notNullable().defaultTo(0);
    table.timestamp('lease_until');
    table.uuid('lease_token');
    table.text('remote_ref');
    table.text('last_error');
    table.timestamp('sent_at');
    table.timestamp('retry_at');
    table.integer('lease_expiries').notNullable().defaultTo(0);
  });

  await knex.raw(`
    alter table deliveries
      add constraint deliveries_kind check (kind in (${quote(deliveryKinds)})),
      add constraint deliveries_stage check (stage in (${quote(followUpStages)})),
      add constraint deliveries_state check (state in (${quote(deliveryStates)})),
      add constraint deliveries_lease
        check ((state = 'leased') = (lease_token is not null and lease_until is not null)),
      add constraint deliveries_once unique nulls not distinct (submission_id, kind, stage)
  `);
  // The sweep reads what is open every half minute, among years of finished rows.
  await knex.raw(`
    create index deliveries_open on deliveries (due_at, id) where state in ('pending', 'leased')
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('deliveries');
}
