import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createPostgresServer } from '../../scripts/embedded-postgres.ts';
import { createMigratedTemplate } from './test-databases.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** URL of a running PostgreSQL server, as its superuser. */
    postgresUrl: string;
    /** Name of a database with this version's schema. It has no connections. */
    migratedTemplate: string;
  }
}

/** Starts one PostgreSQL server for the run. Each test creates its own database, usually a copy of the template. */
export default async function startPostgres(project: TestProject): Promise<() => Promise<void>> {
  const server = await createPostgresServer({
    dataFolder: await mkdtemp(join(tmpdir(), 'test-postgres-')),
    // The databases exist only for seconds, so vacuuming them would waste time.
    settings: { max_connections: '200', autovacuum: 'off' },
  });
  await server.start();
  project.provide('postgresUrl', server.url);
  project.provide('migratedTemplate', await createMigratedTemplate(server.url));

  return () => server.remove();
}
