import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { migrationSource } from '../../migrations/migration-source.ts';
import { createPostgresServer, type PostgresServer } from '../../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/** Creates a database server for one test without starting it. */
export async function createOwnPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'test-postgres-'));
  const postgres = await createPostgresServer({ dataFolder, settings });
  onTestFinished(() => postgres.remove());

  return postgres;
}

/** Starts a server that a test can stop without affecting other tests. Its database has this version's schema. */
export async function startOwnPostgres(settings?: Readonly<Record<string, string>>): Promise<PostgresServer> {
  const postgres = await createOwnPostgres(settings);
  await postgres.start();
  await migrateDatabase(postgres.url, migrationSource);

  return postgres;
}
