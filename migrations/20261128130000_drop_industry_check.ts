/** The owner names the industries (`content/industries.yaml`), and the server checks them. */
export const sql = 'alter table contact_submissions drop constraint contact_submissions_industry';
