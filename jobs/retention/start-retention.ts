import { setTimeout as wait } from 'node:timers/promises';
import { createDatabase, batchTimeouts, type Database } from '../../shared/node/database/database.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { Minute, Second } from '../../shared/time.ts';
import { ErasureLogFileError } from '../../shared/node/erasure/erasure-log.ts';
import { applyErasures } from '../../shared/node/erasure/apply-erasures.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { ImplausibleClockError } from '../../shared/node/erasure/matching-clocks.ts';
import { runRetention, type RetentionSettings } from '../../shared/node/retention/retention.ts';

const RETRY_AFTER = 10 * Minute;

interface RetentionTaskSettings extends RetentionSettings {
  readonly databaseUrl: string;
}

const openRetentionDatabase = ({ databaseUrl }: RetentionTaskSettings): Database =>
  createDatabase(databaseUrl, 'retention', batchTimeouts);

function reportFailure(logger: Logger, error: unknown): void {
  const message =
    error instanceof ImplausibleClockError
      ? 'The clock may be wrong, so not all old data was erased. If it is right: ops retention --yes --force.'
      : 'Old data could not be erased.';
  logger.error({ err: error, alert: 'privacy-upkeep-failed' }, message);
}

function warnOfLostLog(logger: Logger): void {
  logger.warn('The erasure log was missing from ERASURES_DIR and was written again from the database.');
}

async function eraseUntilDone(
  database: Database,
  settings: RetentionTaskSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  for (let reportAt = 0; ; await wait(1 * Second, undefined, { signal })) {
    try {
      const { wasLogLost, ...erased } = await applyErasures(database, settings, signal);
      if (wasLogLost) warnOfLostLog(logger);
      if (erased.submissions + erased.subscriptions > 0) {
        logger.warn(erased, 'A restored backup contained data of erased people. It was erased again.');
      }

      return;
    } catch (error) {
      signal.throwIfAborted();
      // The data is already deleted. An unusable log file must not delay all mails. Retention retries it.
      const isDatabaseDone = error instanceof ErasureLogFileError;
      if (isDatabaseDone || performance.now() >= reportAt) {
        reportFailure(logger, error);
        reportAt = performance.now() + RETRY_AFTER;
      }
      if (isDatabaseDone) return;
    }
  }
}

/** Erases people's data again if a restored backup brought it back. Retries until it succeeds. */
export async function eraseAgain(settings: RetentionTaskSettings, logger: Logger, signal: AbortSignal): Promise<void> {
  const database = openRetentionDatabase(settings);
  await eraseUntilDone(database, settings, logger, signal).finally(() => database.destroy());
}

async function retain(
  database: Database,
  settings: RetentionSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const result = await runRetention(database, settings, { signal });
    if (result?.erasedAgain.wasLogLost) warnOfLostLog(logger);
    if (result) logger.info(result, 'Data past its retention time is erased.');

    return true;
  } catch (error) {
    if (!signal.aborted) reportFailure(logger, error);

    return false;
  }
}

/** Erases old data every `interval` ms, sooner after a failure. Returns a function that stops it. */
export function startRetention(
  settings: RetentionTaskSettings,
  logger: Logger,
  interval: number,
): () => Promise<void> {
  const database = openRetentionDatabase(settings);
  const retryAfter = Math.min(interval, RETRY_AFTER);
  let nextRunAt = 0;
  const stop = runPeriodically({
    run: async (signal) => {
      if (performance.now() < nextRunAt) return;
      const isDone = await retain(database, settings, logger, signal);
      if (isDone) nextRunAt = performance.now() + interval - retryAfter;
    },
    intervalMs: retryAfter,
    onError: (error) => reportFailure(logger, error),
  });

  return async () => {
    await stop();
    await database.destroy();
  };
}
