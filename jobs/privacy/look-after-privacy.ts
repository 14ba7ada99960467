import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { createDatabase, patientTimeouts, type Database } from '../../shared/node/database.ts';
import type { Logger } from '../../shared/node/logger.ts';
import { Minute } from '../../shared/time.ts';
import { keepErased } from './keep-erased.ts';
import { runRetention } from './retention.ts';

/** When what failed is tried again. */
const RETRY_AFTER = 10 * Minute;

/** Runs a part of the work; false, and an alert, when it failed. */
async function attempt(logger: Logger, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();

    return true;
  } catch (error) {
    logger.error({ err: error, alert: 'privacy-upkeep-failed' }, 'Old data could not be erased.');

    return false;
  }
}

async function eraseAgain(database: Database, config: Config, logger: Logger): Promise<void> {
  const erased = await keepErased(database, config);
  if (erased.submissions + erased.subscriptions > 0) {
    logger.warn(erased, 'A backup had brought back erased people; they are erased again.');
  }
}

async function retain(database: Database, config: Config, logger: Logger): Promise<void> {
  const outcome = await runRetention(database, config);
  if (outcome) logger.info(outcome, 'What is too old is forgotten.');
}

/**
 * Erases again whom a restored backup has brought back, before it resolves, so that nothing is sent
 * about them; then keeps to the retention time, once per `interval` milliseconds.
 * @returns a function that ends it
 */
export async function lookAfterPrivacy(
  config: Config,
  logger: Logger,
  interval: number,
): Promise<() => Promise<void>> {
  const database = createDatabase(config.databaseUrl, 'privacy', patientTimeouts);
  const stop = new AbortController();
  await attempt(logger, () => eraseAgain(database, config, logger));

  const loop = async () => {
    while (!stop.signal.aborted) {
      const isDone = await attempt(logger, () => retain(database, config, logger));
      const pause = isDone ? interval : Math.min(interval, RETRY_AFTER);
      await wait(pause, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  };
  const ended = loop();

  return async () => {
    stop.abort();
    await ended;
    await database.destroy();
  };
}
