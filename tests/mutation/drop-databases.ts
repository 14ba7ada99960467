import pg from 'pg';
import { afterAll, inject } from 'vitest';

// Without this, thousands of runs would leave several databases each. Nothing else uses the server at the same time.
afterAll(async () => {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select datname as name from pg_database where datname like 'test\\_%' and datname <> $1`,
    [inject('migratedTemplate')],
  );
  for (const { name } of rows) await client.query(`drop database ${name} with (force)`);
  await client.end();
});
