import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createDatabase, type Database } from '../../shared/node/database/database.ts';
import { createMigratedDatabase, openDatabase } from './database.ts';
import { runOps, type OpsResult } from './run-ops.ts';
import type { Environment } from './site-process.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export { storeDelivery, storeSubmission } from './stored-requests.ts';

export interface OpsFixture {
  readonly settings: Environment;
  readonly folder: string;
  readonly database: Database;
  /** Runs the tool with the fixture's settings. */
  readonly ops: (...args: string[]) => Promise<OpsResult>;
}

/** Sets up a database and folders for one test, without Redis or a mail server. */
export async function setUpOps(
  changes: Environment = {},
  databaseUrl?: string,
): Promise<OpsFixture> {
  const folder = makeTemporaryFolder();
  const settings = {
    DATABASE_URL: databaseUrl ?? (await createMigratedDatabase()),
    COOKIE_SECRET: 's'.repeat(32),
    MAIL_DIR: join(folder, 'mail'),
    CRM_DIR: join(folder, 'crm'),
    ERASURES_DIR: join(folder, 'erasures'),
    LOG_LEVEL: 'info',
    ...changes,
  };

  return {
    settings,
    folder,
    database: openDatabase(settings.DATABASE_URL, onTestFinished),
    ops: (...args) => runOps(settings, ...args),
  };
}

/** Keeps a worker's connection open until the test ends. Without one, the doctor waits two seconds for a worker. */
export async function connectAsWorker(databaseUrl: string): Promise<void> {
  const database = createDatabase(databaseUrl, 'worker');
  onTestFinished(() => database.destroy());
  await database.raw('select 1');
}

/** Runs `work` on a database and closes its connections. */
export async function inDatabase<Result>(
  url: string,
  work: (database: Database) => Promise<Result>,
): Promise<Result> {
  const database = createDatabase(url, 'test');

  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}
