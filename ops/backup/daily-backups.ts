import { basename } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import type { AlertName } from '../../shared/node/logging/alert-list.ts';
import { listBackups } from '../../shared/node/files/backup-files.ts';
import { readRehearsal, type Rehearsal } from '../../shared/node/files/backup-records.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { Day, isFarInFuture, isRecent, Minute } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { createBackupCopier } from './copy-backups.ts';
import { makeBackup, type Backup, type BackupSettings } from './make-backup.ts';
import { canRehearse, rehearseRestore, type RehearsalSettings } from './rehearse-restore.ts';

const CHECK_INTERVAL = 1 * Minute;
const RETRY_DELAY = 10 * Minute;

interface BackupTimes {
  /** Times of day such as `03:00` in `timeZone`, ascending. */
  readonly at: readonly string[];
  readonly timeZone: string;
}

/** Returns when a backup was last due before `time`, in the form `2026-11-21 03:00`. */
function getLastDue(time: Date, { at, timeZone }: BackupTimes): string {
  // Swedish dates are in ISO 8601 format.
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(time);
  const [date = '', clock = ''] = local.split(' ');
  const today = at.findLast((due) => due <= clock);
  if (today !== undefined) return `${date} ${today}`;

  return `${new Date(Date.parse(date) - Day).toISOString().slice(0, 10)} ${at.at(-1)}`;
}

/** Returns whether a backup is due: the newest predates the last due time, or was dated by a clock that was ahead. */
export function isBackupDue(newest: Date | undefined, now: Date, times: BackupTimes): boolean {
  return newest === undefined || isFarInFuture(newest, now) || getLastDue(newest, times) < getLastDue(now, times);
}

/** Half a day less than a week, so that the weekly rehearsal stays on the same weekday. */
const REHEARSAL_INTERVAL = 6.5 * Day;

type DailySettings = BackupSettings & RehearsalSettings & Pick<Config, 'timeZone' | 'site'>;

/** Returns whether a rehearsal is due: a week after the last one, or if the last one failed. */
export function isRehearsalDue(last: Rehearsal | undefined, now: Date): boolean {
  return last === undefined || last.error !== null || !isRecent(last.rehearsed_at, REHEARSAL_INTERVAL, now);
}

async function backUpIfDue(settings: DailySettings, logger: Logger, signal: AbortSignal): Promise<Backup | undefined> {
  const [newest] = await listBackups(settings.backup.directory);
  const times = { at: settings.backup.at, timeZone: settings.timeZone };
  if (!isBackupDue(newest?.createdAt, new Date(), times)) return undefined;

  const backup = await makeBackup(settings, { signal });
  if (!backup) return undefined;
  const { path, bytes, rows, removed, erasureLogProblem } = backup;
  if (erasureLogProblem !== undefined) logger.warn(erasureLogProblem);
  logger.info({ file: basename(path), bytes, rows, removed: removed.length }, 'The backup is complete.');

  return backup;
}

/** Creates a step. After a failure it raises its alert and is skipped for ten minutes. */
function createStep(
  logger: Logger,
  { alert, message, run }: {
    readonly alert: AlertName;
    readonly message: string;
    readonly run: (signal: AbortSignal) => Promise<void>;
  },
): (signal: AbortSignal) => Promise<void> {
  let retryAt = 0;

  return async (signal) => {
    if (signal.aborted || performance.now() < retryAt) return;

    try {
      await run(signal);
    } catch (error) {
      if (signal.aborted) return;
      retryAt = performance.now() + RETRY_DELAY;
      const reason = error instanceof OpsError ? error.message : undefined;
      logger.error({ err: error, reason, alert }, message);
    }
  };
}

async function rehearse(settings: DailySettings, logger: Logger, backup: Backup, signal: AbortSignal): Promise<void> {
  if (!(await canRehearse(settings))) {
    return logger.info('The backup is not rehearsed: a rehearsal needs DATABASE_ADMIN_URL, or a role that may create databases.');
  }
  await rehearseRestore(settings, backup, signal);
  logger.info({ file: basename(backup.path) }, 'The backup was restored for a rehearsal, with all its rows.');
}

/** Makes and copies backups on schedule and rehearses a restore weekly. Returns a function that stops it. */
export function startDailyBackups(settings: DailySettings, logger: Logger): () => Promise<void> {
  const copier = createBackupCopier(settings, () => logger.info('Waiting for another process that is copying to BACKUP_REPOSITORY.'));
  let made: Backup | undefined;
  const steps = [
    createStep(logger, {
      alert: 'backup-failed',
      message: 'The backup failed and will be retried.',
      run: async (signal) => {
        made = (await backUpIfDue(settings, logger, signal)) ?? made;
      },
    }),
    createStep(logger, {
      alert: 'backup-copy-failed',
      message: 'Copying to BACKUP_REPOSITORY failed and will be retried.',
      run: async (signal) => {
        if (await copier.copy(signal)) logger.info('Backup and erasure log are in BACKUP_REPOSITORY.');
      },
    }),
    createStep(logger, {
      alert: 'rehearsal-failed',
      message: 'The rehearsal of a restore failed.',
      run: async (signal) => {
        // A rehearsal reads the copy, so it waits until there is one.
        if (!made || !copier.hasCopied(made.path)) return;
        const backup = made;
        made = undefined;
        const last = await readRehearsal(settings.backup.directory);
        if (isRehearsalDue(last, new Date())) await rehearse(settings, logger, backup, signal);
      },
    }),
  ];

  return runPeriodically({
    intervalMs: CHECK_INTERVAL,
    run: async (signal) => {
      for (const step of steps) await step(signal);
    },
    onError: (error) => logger.error({ err: error }, 'The daily backup failed.'),
  });
}
