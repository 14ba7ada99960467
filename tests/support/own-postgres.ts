import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createPostgresServer, type PostgresServer } from '../../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/**
 * Creates a database server for one test without starting it.
 * @param place folder in which the server's folder is created
 */
export async function createOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
  place = tmpdir(),
): Promise<PostgresServer> {
  const dataFolder = await mkdtemp(join(place, 'test-postgres-'));
  const postgres = await createPostgresServer({ dataFolder, settings });
  onTestFinished(() => postgres.remove());

  return postgres;
}

/** Starts a server with the schema of this version that a test can stop without affecting other tests. */
export async function startOwnPostgres(
  settings?: Readonly<Record<string, string>>,
  place?: string,
): Promise<PostgresServer> {
  const postgres = await createOwnPostgres(settings, place);
  await postgres.start();
  await migrateDatabase(postgres.url, migrationSource);

  return postgres;
}
