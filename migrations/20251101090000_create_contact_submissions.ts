import type { Knex } from 'knex';
import { contactLimits } from '../shared/contact/contact-schema.ts';
import { industryValues } from '../shared/contact/industry-options.ts';

/**
 * The checks use the form's limits, so that no writer can pass them by. A limit that changes needs
 * a migration that replaces its check in databases that exist; a test holds the numbers.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.schema.createTable('contact_submissions', (table) => {
    table.uuid('id').primary();
    table.text('name').notNullable();
    table.text('email').notNullable();
    table.text('company').notNullable();
    table.text('phone');
    table.text('industry');
    table.text('message');
    table.timestamp('submitted_at').notNullable();
    table.timestamp('received_at').notNullable().defaultTo(knex.fn.now());
    table.text('body_hash');
    table.jsonb('source');
    table.timestamp('contacted_at');
    table.timestamp('anonymised_at');
    table.timestamp('quarantined_at');
    table.text('quarantine_reason');

    // Newest first, for the operator's lists.
    table.index(['received_at'], 'contact_submissions_received_at');
    // A plain form post without an id is a repeat when the same content came shortly before.
    table.index(['body_hash', 'received_at'], 'contact_submissions_body_hash');
  });

  const { name, email, company, phone, message } = contactLimits;
  const lengthChecks = [
    `char_length(name) between ${name.min} and ${name.max}`,
    `char_length(email) between ${email.min} and ${email.max}`,
    `char_length(company) between ${company.min} and ${company.max}`,
    `char_length(phone) <= ${phone.max}`,
    `char_length(message) <= ${message.max}`,
  ];
  const industries = industryValues.map((value) => `'${value}'`).join(', ');

  await knex.raw(`
    alter table contact_submissions
      add constraint contact_submissions_lengths check (${lengthChecks.join(' and ')}),
      add constraint contact_submissions_industry check (industry in (${industries}))
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.schema.dropTable('contact_submissions');
}
