import type { Knex } from 'knex';

/** The owner names the industries (`content/industries.yaml`), and the server checks them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table contact_submissions drop constraint contact_submissions_industry');
}

/** Requests with an industry of the owner's own stay. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table contact_submissions add constraint contact_submissions_industry check (
      industry in (
        'healthcare', 'manufacturing', 'financial-services', 'professional-services', 'education', 'retail-ecommerce',
        'transportation-logistics', 'real-estate', 'private-equity', 'other'
      )
    ) not valid
  `);
}
