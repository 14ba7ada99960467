import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { createEmptyDatabase } from './database.ts';
import { runMigrator } from './migrator.ts';
import type { Environment } from './site-process.ts';

/** Settings of the migrations: an empty database, and URLs of four roles that don't exist yet. */
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
    DATABASE_ARCHIVE_URL: makeUrl('archive'),
  };
}

/** Runs the migrations and expects them to succeed. */
export async function runMigrations(settings: Environment): Promise<void> {
  const { exitCode, output } = await runMigrator(settings);
  expect(exitCode, output).toBe(0);
}
