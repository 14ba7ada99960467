import { loadConfig } from '../shared/node/config/config.ts';
import { grantToApplication, prepareRoles } from '../shared/node/database/roles.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { migrateDatabase } from '../shared/node/database/migrate.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';

/** Brings the database to this version and exits; safe to start several times at once. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });

  const { databaseUrl: ownerUrl } = config;
  const { adminUrl, appUrl, webUrl } = config.roles;

  if (adminUrl && appUrl) await prepareRoles(adminUrl, { ownerUrl, appUrl, webUrl });
  const applied = await migrateDatabase(ownerUrl);
  if (appUrl) await grantToApplication({ ownerUrl, appUrl, webUrl });
  logger.info({ applied }, 'The database schema is current.');
});
