import { inject } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createTestDatabase, getDatabaseName } from './test-databases.ts';

/** Creates an empty database on the run's PostgreSQL server. It is removed with the server. */
export const createEmptyDatabase = (): Promise<string> => createTestDatabase(inject('postgresUrl'));

/** Creates a database with this version's schema. */
export const createMigratedDatabase = (): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), inject('migratedTemplate'));

/** Copies a database, which must have no open connections. */
export const copyDatabase = (url: string): Promise<string> =>
  createTestDatabase(inject('postgresUrl'), getDatabaseName(url));

/** Opens a connection pool, which is closed when the test ends. */
export function openDatabase(
  url: string,
  onTestFinished: (cleanUp: () => Promise<void>) => void,
): Database {
  const database = createDatabase(url, 'test');
  onTestFinished(() => database.destroy());

  return database;
}
