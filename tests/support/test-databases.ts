import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/**
 * Creates a database of a random name in a server.
 * @param serverUrl of any of its databases, as a superuser
 * @param template the name of the database to copy, to which nobody may be connected
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

/** The name of a database, by its URL. */
export const getDatabaseName = (url: string): string => new URL(url).pathname.slice(1);

/**
 * Creates a database with the schema of this version: copies of it take a fraction of the migrations' time.
 * @returns its name, as a template
 */
export async function createMigratedTemplate(serverUrl: string): Promise<string> {
  const url = await createTestDatabase(serverUrl);
  await migrateDatabase(url, migrationSource);

  return getDatabaseName(url);
}
