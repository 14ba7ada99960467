import type { TestProject } from 'vitest/node';
import { migrationSource } from '../../migrations/migration-source.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';
import startPostgres from '../support/global-postgres.ts';
import { PASSWORD } from '../support/insights-gate.ts';
import { startWebProcess } from '../support/site-process.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Of a site for all files whose tests change nothing of it. */
    sharedOrigin: string;
  }
}

/** One PostgreSQL server and one site for the run. */
export default async function startSite(project: TestProject): Promise<() => Promise<void>> {
  const removePostgres = await startPostgres(project);
  const { postgresUrl } = project.getProvidedContext();
  await migrateDatabase(postgresUrl, migrationSource);
  const web = await startWebProcess({ DATABASE_URL: postgresUrl, INSIGHTS_PASSWORD: PASSWORD });
  project.provide('sharedOrigin', web.origin);

  return async () => {
    await web.stop();
    await removePostgres();
  };
}
