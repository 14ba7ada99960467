import { inject } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createTestDatabase, getDatabaseName } from './test-databases.ts';

/** Makes an empty database in the run's PostgreSQL server; the server's end removes it. */
export const createEmptyDatabase = (): Promise<string> => createTestDatabase(inject('postgresUrl'));

/** The same with the schema of this version. */
export const createMigratedDatabase = (): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), inject('migratedTemplate'));

/** A copy of a database to which nobody is connected, as a backup restored elsewhere. */
export const copyDatabase = (url: string): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), getDatabaseName(url));

/** A connection pool that the test's end closes. */
export function openDatabase(
  url: string,
  onTestFinished: (cleanUp: () => Promise<void>) => void,
): Database {
  const database = createDatabase(url, 'test');
  onTestFinished(() => database.destroy());

  return database;
}
