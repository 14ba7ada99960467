import { startWorker } from '../../jobs/start-worker.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { exitOnFailure } from '../../shared/node/process/process.ts';
import { readTimings } from './worker-timings.ts';

/** Starts the worker as `jobs/main.ts` does, with short timings for tests. */
await exitOnFailure(async () => {
  const config = loadConfig();
  await startWorker(config, createLogger({ level: config.logLevel, process: 'worker' }), readTimings(process.env));
});
