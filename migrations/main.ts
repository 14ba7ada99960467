import { createQueueTables } from '../shared/node/queues/postgres-backend.ts';
import { loadConfig } from '../shared/node/config/config.ts';
import { createLogger } from '../shared/node/logger.ts';
import { migrateDatabase } from '../shared/node/migrate.ts';
import { exitOnFailure } from '../shared/node/process.ts';

/** Brings the database to this version and exits; safe to start several times at once. */
await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });

  const applied = await migrateDatabase(config.databaseUrl);
  if (!config.redisUrl) await createQueueTables(config.databaseUrl);
  logger.info({ applied }, 'The database schema is current.');
});
