import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/**
 * Creates a database with a random name.
 * @param serverUrl URL of any database on the server, with a superuser's login
 * @param template name of the database to copy, which must have no connections
 * @returns its URL
 */
export async function createTestDatabase(serverUrl: string, template = 'template1'): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name} template ${template}`).finally(() => client.end());
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;

  return url.href;
}

/** The name of the database in a URL. */
export const getDatabaseName = (url: string): string => new URL(url).pathname.slice(1);

/**
 * Creates a template database with this version's schema. Copying it is much faster than running the migrations.
 * @returns its name
 */
export async function createMigratedTemplate(serverUrl: string): Promise<string> {
  const url = await createTestDatabase(serverUrl);
  await migrateDatabase(url, migrationSource);

  return getDatabaseName(url);
}
