import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createPostgresServer, type PostgresServer } from '../../scripts/embedded-postgres.ts';
import { migrateDatabase } from '../../shared/node/migrate.ts';

/**
 * A migrated database server that can be stopped without the other tests' noticing.
 * @param place folder in which its own is made
 */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
  place = tmpdir(),
): Promise<PostgresServer> {
  const dataFolder = await mkdtemp(join(place, 'test-postgres-'));
  const postgres = await createPostgresServer({ dataFolder, settings });
  onTestFinished(() => postgres.remove());
  await postgres.start();
  await migrateDatabase(postgres.url);

  return postgres;
}
