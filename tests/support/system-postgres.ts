import { mkdtemp } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { createPostgresServer } from '../../scripts/embedded-postgres.ts';
import { findSystemPostgres, systemPath } from '../../scripts/prerequisites.ts';
import { createMigratedTemplate, createTestDatabase } from './test-databases.ts';

/** A server run by the system's PostgreSQL, which includes the client tools. */
export interface SystemPostgres {
  /** A PATH that starts with the client tools for the server's major version. */
  readonly path: string;
  /** Folder with the client tools. */
  readonly programs: string;
  createEmptyDatabase(): Promise<string>;
  createMigratedDatabase(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Starts a server with the newest installed major version, with its own folder and port.
 * @throws if the system has no PostgreSQL with client tools
 */
export async function startSystemPostgres(): Promise<SystemPostgres> {
  const nativeFolder = findSystemPostgres();
  if (nativeFolder === undefined) throw new Error("Debian's package postgresql is not installed.");
  const programs = join(nativeFolder, 'bin');
  const dataFolder = await mkdtemp(join(tmpdir(), 'test-system-postgres-'));
  const server = await createPostgresServer({ dataFolder, nativeFolder, settings: { max_connections: '200' } });
  await server.start();
  const template = await createMigratedTemplate(server.url);

  return {
    path: [programs, systemPath].join(delimiter),
    programs,
    createEmptyDatabase: () => createTestDatabase(server.url),
    createMigratedDatabase: () => createTestDatabase(server.url, template),
    remove: () => server.remove(),
  };
}
