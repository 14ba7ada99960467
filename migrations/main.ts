import { ConfigError, loadConfig } from '../shared/node/config/config.ts';
import { listSharedUsers } from '../shared/node/config/database-users.ts';
import { warnOfNearMisses } from '../shared/node/config/known-names.ts';
import { ensureRoles, grantPrivileges } from '../shared/node/database/roles.ts';
import { explainRefusedLogin } from '../shared/node/database/try-login.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { migrateDatabase } from '../shared/node/database/migrate.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { migrationSource } from './migration-source.ts';

/** Brings the database to this version and exits; safe to start several times at once. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });
  warnOfNearMisses(logger);

  const { databaseUrl: ownerUrl } = config;
  const { adminUrl, appUrl, webUrl, archiveUrl } = config.roles;
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
    const applied = await migrateDatabase(ownerUrl, migrationSource);
    if (appUrl) await grantPrivileges({ ownerUrl, appUrl, webUrl });
    logger.info({ applied }, 'The database schema is current.');
  } catch (error) {
    throw explainRefusedLogin(error, adminUrl ? 'DATABASE_ADMIN_URL' : 'DATABASE_URL') ?? error;
  }
});
