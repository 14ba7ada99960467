import { loadConfig } from '../shared/node/config/config.ts';
import { warnOfRemovedSettings } from '../shared/node/config/known-names.ts';
import { createLogger } from '../shared/node/logging/logger.ts';
import { exitOnFailure } from '../shared/node/process/process.ts';
import { startWorker } from './start-worker.ts';
import { productionTimings } from '../shared/node/config/timings.ts';

await exitOnFailure(async () => {
  const config = loadConfig();
  const logger = createLogger({ level: config.logLevel, process: 'worker' });
  warnOfRemovedSettings(logger);
  await startWorker(config, logger, productionTimings);
});
