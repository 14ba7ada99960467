import { inject } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createTestDatabase, getDatabaseName } from './test-databases.ts';

/** Creates an empty database in the run's PostgreSQL server. It is removed with the server. */
export const createEmptyDatabase = (): Promise<string> => createTestDatabase(inject('postgresUrl'));

/** Creates a database with the schema of this version. */
export const createMigratedDatabase = (): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), inject('migratedTemplate'));

/** Copies a database without open connections, like a backup that is restored elsewhere. */
export const copyDatabase = (url: string): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), getDatabaseName(url));

/** A connection pool that is closed when the test ends. */
export function openDatabase(
  url: string,
  onTestFinished: (cleanUp: () => Promise<void>) => void,
): Database {
  const database = createDatabase(url, 'test');
  onTestFinished(() => database.destroy());

  return database;
}
