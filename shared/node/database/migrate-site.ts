import type { Knex } from 'knex';
import { ConfigError, type Config } from '../config/config.ts';
import { listSharedUsers } from '../config/database-users.ts';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';
import { isDatabaseUnavailable } from './database.ts';
import { migrateDatabase } from './migrate.ts';
import { ensureRoles, grantPrivileges } from './roles.ts';
import { explainRefusedLogin } from './try-login.ts';

/** Of what settings or the server are the reason for, a sentence for the operator; else the error itself. */
function explainFailure(error: unknown): unknown {
  const code = getErrorCode(error);
  if (code !== undefined && isDatabaseUnavailable(error)) {
    return new SiteError(`PostgreSQL can't be used (${code}): does it run, and is DATABASE_URL right?`);
  }
  if (code === '42501') return new SiteError(`The role of DATABASE_URL may not change the schema (${code}): does it own the database?`);
  if (code === '42704') return new SiteError(`The role of DATABASE_APP_URL or DATABASE_WEB_URL does not exist (${code}).`);

  return error;
}

/** Brings the database to the newest migration and its roles to the settings; returns the applied names. */
export async function migrateSite(
  { databaseUrl: ownerUrl, roles }: Pick<Config, 'databaseUrl' | 'roles'>,
  source: Knex.MigrationSource<string>,
): Promise<string[]> {
  const { adminUrl, appUrl, webUrl } = roles;
  const conflicts = listSharedUsers({
    DATABASE_URL: ownerUrl,
    DATABASE_ADMIN_URL: adminUrl,
    DATABASE_APP_URL: appUrl,
    DATABASE_WEB_URL: webUrl,
  });
  if (conflicts.length > 0) throw new ConfigError(conflicts);

  try {
    if (adminUrl && appUrl) await ensureRoles(adminUrl, { ownerUrl, appUrl, webUrl });
    const applied = await migrateDatabase(ownerUrl, source);
    if (appUrl) await grantPrivileges({ ownerUrl, appUrl, webUrl });

    return applied;
  } catch (error) {
    throw explainRefusedLogin(error, adminUrl ? 'DATABASE_ADMIN_URL' : 'DATABASE_URL') ?? explainFailure(error);
  }
}
