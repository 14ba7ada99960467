import { startWorker } from '../../jobs/start-worker.ts';
import { productionTimings } from '../../shared/node/config/timings.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { exitOnFailure } from '../../shared/node/process/process.ts';

/** The worker as in `jobs/main.ts`, except that it doesn't hold mails back to their pace. */
await exitOnFailure(async () => {
  const config = loadConfig();
  await startWorker(config, createLogger({ level: config.logLevel, process: 'worker' }), {
    ...productionTimings,
    minInterval: 0,
  });
});
