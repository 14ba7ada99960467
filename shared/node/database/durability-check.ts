import { setTimeout as wait } from 'node:timers/promises';
import { Hour, Second } from '../../time.ts';
import type { Logger } from '../logging/logger.ts';
import { runPeriodically } from '../process/run-periodically.ts';
import type { Database } from './database.ts';
import { inspectDatabase, type DatabaseState } from './inspect-database.ts';

/** The server's settings can change while it runs. */
const INTERVAL = 1 * Hour;

const RETRY_INTERVAL = 2 * Second;

/** @throws when the signal is aborted before the server can be reached */
async function inspectWhenReachable(database: Database, signal: AbortSignal): Promise<DatabaseState> {
  for (;;) {
    try {
      return await inspectDatabase(database);
    } catch {
      // The health checks report an unreachable server.
      await wait(RETRY_INTERVAL, undefined, { signal });
    }
  }
}

/**
 * Raises an alert every hour while PostgreSQL's settings would lose committed requests in a power
 * failure. It stops nothing: a site that doesn't start loses requests for certain (decision 002).
 * @returns what stops the check
 */
export function startDurabilityCheck(database: Database, logger: Logger): () => Promise<void> {
  const check = async (signal: AbortSignal) => {
    const { fsync, fullPageWrites } = await inspectWhenReachable(database, signal);
    if (fsync === 'on' && fullPageWrites === 'on') return;
    logger.error(
      { fsync, fullPageWrites, alert: 'database-not-durable' },
      'PostgreSQL loses committed requests in a power failure: set fsync and full_page_writes to on.',
    );
  };

  return runPeriodically({
    run: check,
    intervalMs: INTERVAL,
    // Only a stop ends the retries.
    onError: () => undefined,
  });
}
