import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createPostgresServer, type PostgresServer } from '../../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/**
 * A database server for one test, not started yet.
 * @param place folder in which its own is created
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

/** One that can be stopped without the other tests' noticing, with the schema of this version. */
export async function startOwnPostgres(
  settings?: Readonly<Record<string, string>>,
  place?: string,
): Promise<PostgresServer> {
  const postgres = await createOwnPostgres(settings, place);
  await postgres.start();
  await migrateDatabase(postgres.url, migrationSource);

  return postgres;
}
