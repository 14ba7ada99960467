import { basename } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { Minute } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { listBackups } from './backup-files.ts';
import { isBackupOwed } from './backup-schedule.ts';
import { makeBackup, type BackupSettings } from './make-backup.ts';

/** When it is looked again whether a backup is owed. */
const LOOK_AFTER = 1 * Minute;
/** When one that failed is tried again. */
const RETRY_AFTER = 10 * Minute;

/** Makes the backup that is owed, if one is. */
async function backUpIfOwed(
  settings: BackupSettings,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  const [newest] = await listBackups(settings.backup.directory);
  if (!isBackupOwed(newest?.createdAt, new Date(), settings.backup)) return;

  const made = await makeBackup(settings, { signal });
  if (!made) return;
  const { path, bytes, rows, removed, erasuresFault } = made;
  if (erasuresFault !== undefined) logger.warn(erasuresFault);
  logger.info({ file: basename(path), bytes, rows, removed: removed.length }, 'A backup is made.');
}

/**
 * Makes a backup every day at its time, and at once when that was missed; one that fails is told by
 * an alert and tried again.
 * @returns a function that ends it; what is being made is given up
 */
export function startDailyBackups(settings: BackupSettings, logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const loop = async () => {
    while (!signal.aborted) {
      let pause = LOOK_AFTER;
      try {
        await backUpIfOwed(settings, logger, signal);
      } catch (error) {
        if (signal.aborted) return;
        pause = RETRY_AFTER;
        const reason = error instanceof OpsError ? error.message : undefined;
        logger.error(
          { err: error, reason, alert: 'backup-failed' },
          'The backup failed and is tried again.',
        );
      }
      await wait(pause, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = loop();

  return async () => {
    stop.abort();
    await ended;
  };
}
