import { loadConfig } from '../shared/node/config/config.ts';
import { createLogger } from '../shared/node/logger.ts';
import { exitOnFailure } from '../shared/node/process.ts';
import { startWorker } from './start-worker.ts';
import { productionTimings } from './timings.ts';

/** The worker process. */
await exitOnFailure(async () => {
  const config = loadConfig();
  await startWorker(
    config,
    createLogger({ level: config.logLevel, process: 'worker' }),
    productionTimings,
  );
});
