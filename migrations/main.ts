import { loadConfig } from '../shared/node/config/config.ts';
import { warnOfRemovedSettings } from '../shared/node/config/known-names.ts';
import { migrateSite } from '../shared/node/database/migrate.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { migrationSource } from './migration-source.ts';

await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'migrate' });
  warnOfRemovedSettings(logger);

  const applied = await migrateSite(config, migrationSource);
  logger.info({ applied }, 'The database schema is current.');
});
