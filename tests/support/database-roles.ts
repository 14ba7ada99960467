import { randomBytes } from 'node:crypto';
import { migrationSource } from '../../migrations/migration-source.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { migrateSite } from '../../shared/node/database/migrate.ts';
import { createEmptyDatabase } from './database.ts';
import type { Environment } from './site-process.ts';

/** Returns settings for the migrations: an empty database, and URLs for three roles that don't exist yet. */
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

/** Runs the migrations as the migrator does, but in this process. */
export async function runMigrations(settings: Environment): Promise<void> {
  await migrateSite(loadConfig(settings), migrationSource);
}
