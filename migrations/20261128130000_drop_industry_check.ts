import type { Knex } from 'knex';

/** The owner names the industries (`content/industries.yaml`), and the server checks them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table contact_submissions drop constraint contact_submissions_industry');
}
