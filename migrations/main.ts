import { loadConfig } from '../shared/node/config/config.ts';
import { grantToApplication, prepareRoles } from '../shared/node/database-roles.ts';
import { createLogger } from '../shared/node/logger.ts';
import { migrateDatabase } from '../shared/node/migrate.ts';
import { exitOnFailure } from '../shared/node/process.ts';
import { createQueueTables } from '../shared/node/queues/postgres-backend.ts';

/** Brings the database to this version and exits; safe to start several times at once. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });

  const { adminUrl, appUrl } = config.roles;

  if (adminUrl && appUrl) await prepareRoles(adminUrl, { ownerUrl: config.databaseUrl, appUrl });
  const applied = await migrateDatabase(config.databaseUrl);
  if (!config.redisUrl) await createQueueTables(config.databaseUrl);
  if (appUrl) await grantToApplication(config.databaseUrl, appUrl);
  logger.info({ applied }, 'The database schema is current.');
});
