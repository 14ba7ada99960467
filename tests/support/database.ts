import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';

/** Makes an empty database in the run's PostgreSQL server; the server's end removes it. */
export async function createEmptyDatabase(template = 'template1'): Promise<string> {
  const serverUrl = inject('postgresUrl');
  const name = `test_${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;

  return url.href;
}

/** The same with the schema of this version: a copy, which takes a fraction of the migrations' time. */
export const createMigratedDatabase = (): Promise<string> =>
  createEmptyDatabase(inject('migratedTemplate'));

/** A copy of a database to which nobody is connected, as a backup restored elsewhere. */
export function copyDatabase(url: string): Promise<string> {
  return createEmptyDatabase(new URL(url).pathname.slice(1));
}

/** A connection pool that the test's end closes. */
export function openDatabase(
  url: string,
  onTestFinished: (cleanUp: () => Promise<void>) => void,
): Database {
  const database = createDatabase(url, 'test');
  onTestFinished(() => database.destroy());

  return database;
}
