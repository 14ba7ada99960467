import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { createEmptyDatabase } from './database.ts';
import { runMigrator } from './migrator.ts';
import type { Environment } from './site-process.ts';

/** An empty database, and the URLs of three roles for it that don't exist yet: settings of the migrations. */
export async function planRoles() {
  const DATABASE_ADMIN_URL = await createEmptyDatabase();
  const suffix = randomBytes(4).toString('hex');
  const makeUrl = (role: string) => {
    const url = new URL(DATABASE_ADMIN_URL);
    url.username = `${role}_${suffix}`;
    url.password = encodeURIComponent(`it's "${role}" %s`);

    return url.href;
  };

  return {
    DATABASE_ADMIN_URL,
    DATABASE_URL: makeUrl('migrate'),
    DATABASE_APP_URL: makeUrl('app'),
    DATABASE_WEB_URL: makeUrl('web'),
  };
}

/** Runs the migrations to their good end. */
export async function migrateWell(settings: Environment): Promise<void> {
  const { exitCode, output } = await runMigrator(settings);
  expect(exitCode, output).toBe(0);
}
