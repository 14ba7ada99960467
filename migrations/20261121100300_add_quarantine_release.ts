import type { Knex } from 'knex';

/**
 * A request held as suspected spam and released later is promised an answer from `released_at` on.
 * A proof of work counts once: `spent_proofs` remembers it until its challenge expires.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table contact_submissions add column released_at timestamptz;
    create table spent_proofs (
      challenge text primary key,
      expires_at timestamptz not null
    );
    create index spent_proofs_expires_at_index on spent_proofs (expires_at)
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table spent_proofs;
    alter table contact_submissions drop column released_at
  `);
}
