import type { Knex } from 'knex';

/**
 * The checks repeat the form's limits, so that no writer can pass them by. A limit that changes needs
 * a migration that replaces its check; a test compares the two. There are two indexes: newest first,
 * for the operator's lists, and by content, since a plain form post without an id is a repeat when the
 * same content came shortly before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table contact_submissions (
      id uuid primary key,
      name text not null,
      email text not null,
      company text not null,
      phone text,
      industry text,
      message text,
      submitted_at timestamptz not null,
      received_at timestamptz not null default current_timestamp,
      body_hash text,
      source jsonb,
      contacted_at timestamptz,
      anonymised_at timestamptz,
      quarantined_at timestamptz,
      quarantine_reason text,
      constraint contact_submissions_lengths check (
        char_length(name) between 1 and 200
        and char_length(email) between 3 and 254
        and char_length(company) between 1 and 200
        and char_length(phone) <= 40
        and char_length(message) <= 5000
      ),
      constraint contact_submissions_industry check (
        industry in (
          'healthcare', 'manufacturing', 'financial-services', 'professional-services', 'education',
          'retail-ecommerce', 'transportation-logistics', 'real-estate', 'private-equity', 'other'
        )
      )
    );
    create index contact_submissions_received_at on contact_submissions (received_at);
    create index contact_submissions_body_hash on contact_submissions (body_hash, received_at)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table contact_submissions');
}
