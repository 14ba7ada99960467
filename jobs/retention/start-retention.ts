import { setTimeout as wait } from 'node:timers/promises';
import { createDatabase, batchTimeouts, type Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { Minute, Second } from '../../shared/time.ts';
import { ErasureLogFileError } from '../../shared/node/erasure/erasure-log-file.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import { ImplausibleClockError } from '../../shared/node/retention/retention-guard.ts';
import { runRetention, type RetentionSettings } from '../../shared/node/retention/retention.ts';

/** When what failed is tried again. */
const RETRY_AFTER = 10 * Minute;

export interface RetentionTaskSettings extends RetentionSettings {
  readonly databaseUrl: string;
}

function report(logger: Logger, error: unknown): void {
  const reason = error instanceof ImplausibleClockError ? error.message : undefined;
  const what =
    reason === undefined
      ? 'Old data could not be erased.'
      : 'Nothing was erased for its age; if the clock is right: ops retention --yes --force.';
  logger.error({ err: error, reason, alert: 'privacy-upkeep-failed' }, what);
}

function warnOfLostList(logger: Logger): void {
  logger.warn('The list of erasures was lost from ERASURES_DIR; it is made anew from the database.');
}

/** Erases again whom the database knows of, as long as that takes, and whom the folder knows of. */
async function eraseAtStart(
  database: Database,
  settings: RetentionTaskSettings,
  logger: Logger,
): Promise<void> {
  for (let isTold = false; ; isTold = true) {
    try {
      const { wasListLost, ...erased } = await applyErasures(database, settings);
      if (wasListLost) warnOfLostList(logger);
      if (erased.submissions + erased.subscriptions > 0) {
        logger.warn(erased, 'A backup had brought back erased people; they are erased again.');
      }

      return;
    } catch (error) {
      // A file's mode must not hold up the mails about everybody else; retention tries it again.
      const isDatabaseDone = error instanceof ErasureLogFileError;
      if (isDatabaseDone || !isTold) report(logger, error);
      if (isDatabaseDone) return;
    }
    await wait(1 * Second);
  }
}

/** Keeps to the retention time once; false, and an alert, when that failed. */
async function retain(
  database: Database,
  settings: RetentionSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const outcome = await runRetention(database, settings, { signal });
    if (outcome?.erasedAgain.wasListLost) warnOfLostList(logger);
    if (outcome) logger.info(outcome, 'What is too old is forgotten.');

    return true;
  } catch (error) {
    if (!signal.aborted) report(logger, error);

    return false;
  }
}

/**
 * Erases again whom a restored backup has brought back, before it resolves, so that nothing is sent
 * about them: it waits for the database, not for a folder that can't be used. Then keeps to the
 * retention time, once per `interval` milliseconds, and sooner when something failed.
 * @returns a function that ends it, between two batches
 */
export async function startRetention(
  settings: RetentionTaskSettings,
  logger: Logger,
  interval: number,
): Promise<() => Promise<void>> {
  const database = createDatabase(settings.databaseUrl, 'privacy', batchTimeouts);
  const stop = new AbortController();
  await eraseAtStart(database, settings, logger);

  const loop = async () => {
    while (!stop.signal.aborted) {
      const isDone = await retain(database, settings, logger, stop.signal);
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
