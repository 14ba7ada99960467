import type { Knex } from 'knex';
import { ConfigError, type Config } from '../config/config.ts';
import { listSharedUsers } from '../config/database-users.ts';
import { migrateDatabase } from './migrate.ts';
import { ensureRoles, grantPrivileges } from './roles.ts';
import { explainRefusedLogin } from './try-login.ts';

/**
 * Brings the database to the newest migration of `source`, and its roles to the settings; safe to run several times
 * at once.
 * @returns the names of the migrations that it has applied
 * @throws ConfigError, when two addresses have one user; naming the setting, when PostgreSQL refuses its login; else as
 *   `migrateDatabase`
 */
export async function migrateSite(
  { databaseUrl: ownerUrl, roles }: Pick<Config, 'databaseUrl' | 'roles'>,
  source: Knex.MigrationSource<string>,
): Promise<string[]> {
  const { adminUrl, appUrl, webUrl, archiveUrl } = roles;
  const conflicts = listSharedUsers({
    DATABASE_URL: ownerUrl,
    DATABASE_ADMIN_URL: adminUrl,
    DATABASE_APP_URL: appUrl,
    DATABASE_WEB_URL: webUrl,
    DATABASE_ARCHIVE_URL: archiveUrl,
  });
  if (conflicts.length > 0) throw new ConfigError(conflicts);

  try {
    if (adminUrl && appUrl) await ensureRoles(adminUrl, { ownerUrl, appUrl, webUrl, archiveUrl });
    const applied = await migrateDatabase(ownerUrl, source);
    if (appUrl) await grantPrivileges({ ownerUrl, appUrl, webUrl });

    return applied;
  } catch (error) {
    throw explainRefusedLogin(error, adminUrl ? 'DATABASE_ADMIN_URL' : 'DATABASE_URL') ?? error;
  }
}
