import type { TestProject } from 'vitest/node';
import startPostgres from './global-postgres.ts';
import { PASSWORD } from './insights-gate.ts';
import { startWebProcess } from './site-process.ts';
import { createTestDatabase } from './test-databases.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A site for all test files that don't change it. */
    sharedSite: { readonly origin: string; readonly databaseUrl: string };
  }
}

/** Starts one PostgreSQL server and one site for the run. */
export default async function startSite(project: TestProject): Promise<() => Promise<void>> {
  const removePostgres = await startPostgres(project);
  const { postgresUrl, migratedTemplate } = project.getProvidedContext();
  const databaseUrl = await createTestDatabase(postgresUrl, migratedTemplate);
  const settings = { DATABASE_URL: databaseUrl, INSIGHTS_PASSWORD: PASSWORD };
  const web = await startWebProcess(settings, 'tests/support/web-entry.ts');
  project.provide('sharedSite', { origin: web.origin, databaseUrl });

  return async () => {
    await web.stop();
    await removePostgres();
  };
}
