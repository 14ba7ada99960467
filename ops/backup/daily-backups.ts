import { basename } from 'node:path';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { Day, Minute } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { listBackups } from './backup-files.ts';
import { makeBackup, type BackupSettings } from './make-backup.ts';

const CHECK_INTERVAL = 1 * Minute;
/** From a failed backup to the next attempt. */
const RETRY_DELAY = 10 * Minute;

/** When the daily backup is made. */
interface BackupTime {
  /** Minutes after midnight in `timeZone`. */
  readonly at: number;
  readonly timeZone: string;
}

/** The day of a backup that is made now; a day begins at the time of the daily backup. */
function getBackupDay(time: Date, { at, timeZone }: BackupTime): string {
  // Swedish dates and times have the format of ISO 8601: 2026-11-21 03:00.
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(time);
  const [date = '', clock = ''] = local.split(' ');
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  if (hours * 60 + minutes >= at) return date;

  return new Date(Date.parse(date) - Day).toISOString().slice(0, 10);
}

/** Whether the daily backup is due: none was made since its time. */
export function isBackupDue(newest: Date | undefined, now: Date, time: BackupTime): boolean {
  return newest === undefined || getBackupDay(newest, time) < getBackupDay(now, time);
}

async function backUpIfDue(settings: BackupSettings, logger: Logger, signal: AbortSignal): Promise<void> {
  const [newest] = await listBackups(settings.backup.directory);
  if (!isBackupDue(newest?.createdAt, new Date(), settings.backup)) return;

  const backup = await makeBackup(settings, { signal });
  if (!backup) return;
  const { path, bytes, rows, removed, erasureLogProblem } = backup;
  if (erasureLogProblem !== undefined) logger.warn(erasureLogProblem);
  logger.info({ file: basename(path), bytes, rows, removed: removed.length }, 'The backup is completed.');
}

/**
 * Makes a backup every day at its time, and at once when that was missed. A failed one raises an alert
 * and is retried.
 * @returns what stops it; a backup under way is cancelled
 */
export function startDailyBackups(settings: BackupSettings, logger: Logger): () => Promise<void> {
  let retryAt = 0;

  return runPeriodically({
    intervalMs: CHECK_INTERVAL,
    run: async (signal) => {
      if (performance.now() < retryAt) return;
      await backUpIfDue(settings, logger, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    onError: (error) => {
      retryAt = performance.now() + RETRY_DELAY;
      const reason = error instanceof OpsError ? error.message : undefined;
      logger.error({ err: error, reason, alert: 'backup-failed' }, 'The backup failed and will be retried.');
    },
  });
}
