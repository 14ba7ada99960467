import { loadConfig, type Config } from '../shared/node/config/config.ts';
import { warnOfNearMisses } from '../shared/node/config/known-names.ts';
import { ensureRoles, grantPrivileges } from '../shared/node/database/roles.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { getErrorCode, SiteError } from '../shared/node/logging/describe-error.ts';
import { migrateDatabase } from '../shared/node/database/migrate.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { migrationSource } from './migration-source.ts';

/** SQLSTATEs of class 28: the login is refused. */
const LOGIN_REFUSED = /^28/;

/** For whoever has changed a password in the settings only. */
function explainRefusal(error: unknown, { adminUrl }: Config['roles']): unknown {
  const code = getErrorCode(error) ?? '';
  if (!LOGIN_REFUSED.test(code)) return error;
  const name = adminUrl ? 'DATABASE_ADMIN_URL (POSTGRES_PASSWORD in the stack)' : 'DATABASE_URL';

  return new SiteError(
    `PostgreSQL refuses the login (${code}): user and password in ${name} have to be those that it was installed with, or changed to.`,
  );
}

/** Brings the database to this version and exits; safe to start several times at once. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });
  warnOfNearMisses(logger);

  const { databaseUrl: ownerUrl } = config;
  const { adminUrl, appUrl, webUrl, archiveUrl } = config.roles;

  try {
    if (adminUrl && appUrl) await ensureRoles(adminUrl, { ownerUrl, appUrl, webUrl, archiveUrl });
    const applied = await migrateDatabase(ownerUrl, migrationSource);
    if (appUrl) await grantPrivileges({ ownerUrl, appUrl, webUrl });
    logger.info({ applied }, 'The database schema is current.');
  } catch (error) {
    throw explainRefusal(error, config.roles);
  }
});
