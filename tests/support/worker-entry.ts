import { productionTimings, type Timings } from '../../shared/node/config/timings.ts';
import { startWorker } from '../../jobs/start-worker.ts';
import { loadConfig } from '../../shared/node/config/config.ts';
import { createLogger } from '../../shared/node/logging/logger.ts';
import { exitOnFailure } from '../../shared/node/process/process.ts';
import { Hour, Second } from '../../shared/time.ts';

const backOff = { first: 0.3 * Second, cap: 1 * Second };

/** The worker as in `jobs/main.ts`, with waits short enough for a test. */
const testTimings: Timings = {
  ...productionTimings,
  lease: 3 * Second,
  attempt: 2 * Second,
  sweep: 0.5 * Second,
  queueCheck: 5 * Second,
  backOff: { 'follow-up': backOff, newsletter: backOff, 'crm-export': backOff },
  pause: 2 * Second,
  due: 0.2 * Second,
  minInterval: 0.02 * Second,
  heldMails: { ...productionTimings.heldMails, delay: 0.2 * Second },
  alertAfter: 2 * Second,
  // Longer than a test: what a test counts are its mails, unless alerts are its matter.
  alerts: { sendEvery: 1 * Hour, databaseAwayAfter: 1 * Hour },
  queue: { lockDuration: 2 * Second, stalledInterval: 1 * Second },
};

/** Those that a test wants otherwise. */
const changes = JSON.parse(process.env['WORKER_TIMINGS'] ?? '{}') as Partial<Timings>;

await exitOnFailure(async () => {
  const config = loadConfig();
  await startWorker(config, createLogger({ level: config.logLevel, process: 'worker' }), {
    ...testTimings,
    ...changes,
  });
});
