import { setTimeout as wait } from 'node:timers/promises';
import { Hour, Second } from '../../time.ts';
import type { Database } from './database.ts';
import { inspectDatabase } from './inspect-database.ts';
import type { Logger } from '../logging/logger.ts';

/** Settings of the server can be changed while it runs. */
const PERIOD = 1 * Hour;

/** While PostgreSQL can't be asked, which others report. */
const RETRY_PAUSE = 2 * Second;

/** @returns milliseconds until it is worth looking again */
async function look(database: Database, logger: Logger): Promise<number> {
  try {
    const { fsync, fullPageWrites } = await inspectDatabase(database);
    if (fsync !== 'on' || fullPageWrites !== 'on') {
      logger.error(
        { fsync, fullPageWrites, alert: 'database-not-durable' },
        'PostgreSQL loses confirmed requests at a power cut: set fsync and full_page_writes to on.',
      );
    }

    return PERIOD;
  } catch {
    return RETRY_PAUSE;
  }
}

/**
 * Raises an alert, again every hour, while PostgreSQL would lose at a power cut what it confirmed. It
 * stops nothing: a site that doesn't start loses requests for certain (decision 002).
 * @returns what ends the watch
 */
export function startDurabilityCheck(database: Database, logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const watch = async () => {
    while (!stop.signal.aborted) {
      const pause = await look(database, logger);
      await wait(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = watch();

  return async () => {
    stop.abort();
    await ended;
  };
}
