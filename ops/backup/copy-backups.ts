import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { batchTimeouts, createDatabase, isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { getErasureLogPath } from '../../shared/node/erasure/erasure-log.ts';
import { getHashPath, listBackups } from '../../shared/node/files/backup-files.ts';
import { recordCopy, recordFailedCopy, removeCopyRecord } from '../../shared/node/files/backup-records.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Hour, Second } from '../../shared/time.ts';
import { mergeStoredErasureLogs } from '../repository/fetch-backup.ts';
import {
  findRepository,
  forgetSnapshots,
  listSnapshotsOrCreate,
  listSnapshots,
  storeSnapshot,
  type RepositorySettings,
} from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { selectDumps, selectOutdated } from '../repository/snapshots.ts';

/** Long enough for a first copy over a slow connection. A repository that hangs must not block the next day's backup. */
const TIMEOUT = 12 * Hour;

type CopySettings = RepositorySettings & Pick<Config, 'databaseUrl' | 'privacy'>;

interface LocalState {
  readonly newestBackup: string | undefined;
  readonly log: string | undefined;
}

async function readLocalState({ backup, privacy }: CopySettings): Promise<LocalState> {
  const [newest] = await listBackups(backup.directory);
  const log = await readFile(getErasureLogPath(privacy.erasuresDirectory), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });

  return { newestBackup: newest?.path, log };
}

/** Copies the erasure log if it differs from `copied`, and the backup if it isn't stored. Then removes outdated copies. */
async function copyChanges(
  restic: Restic,
  settings: CopySettings,
  { newestBackup, log }: LocalState,
  { copied, signal }: { readonly copied: LocalState; readonly signal: AbortSignal },
): Promise<void> {
  const { directory, keep } = settings.backup;
  const stored = await listSnapshotsOrCreate(restic, signal);
  // Copy the log first. It is small, and a restore needs the newest one.
  if (log !== undefined && log !== copied.log) {
    const path = getErasureLogPath(settings.privacy.erasuresDirectory);
    // Keep entries that only the repository has: this machine may have been restored to an older state.
    if (copied.log === undefined) await mergeStoredErasureLogs(restic, settings, stored);
    await storeSnapshot(restic, { kind: 'erasures', folder: dirname(path), names: [basename(path)] }, signal);
  }
  if (newestBackup !== undefined) {
    const names = [basename(newestBackup), basename(getHashPath(newestBackup))];
    const isStored = selectDumps(stored).some((dump) => dump.names.includes(basename(newestBackup)));
    if (!isStored) await storeSnapshot(restic, { kind: 'dump', folder: dirname(newestBackup), names }, signal);
  }
  const snapshots = await listSnapshots(restic, signal);
  const [newest] = selectDumps(snapshots);
  if (newest) await recordCopy(directory, newest.time);
  await forgetSnapshots(restic, selectOutdated(snapshots, keep, new Date()), signal);
}

const COPY_LOCK = 0x636f7079;
const POLL_INTERVAL = 1 * Second;

/**
 * Runs `work` once no other process is copying, or without the lock if PostgreSQL is unavailable. Calls `onWait` once if
 * it has to wait.
 */
async function withCopyLock(
  databaseUrl: string,
  work: () => Promise<void>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<void> {
  const database = createDatabase(databaseUrl, 'backup', batchTimeouts);
  let running: Promise<void> | undefined;
  const start = () => (running ??= work());

  try {
    for (let hasWaited = false; !(await tryWithAdvisoryLock(database, COPY_LOCK, start)); hasWaited = true) {
      if (!hasWaited) onWait();
      await wait(POLL_INTERVAL, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
  } finally {
    await database.destroy();
  }
  await start();
}

/** Creates a copier for BACKUP_DIR and ERASURES_DIR. It calls `onWait` if it waits for another process. */
export function createBackupCopier(settings: CopySettings, onWait: () => void) {
  const { directory } = settings.backup;
  const restic = findRepository(settings);
  let copied: LocalState = { newestBackup: undefined, log: undefined };

  return {
    /** Copies changes and removes outdated copies. Returns whether anything had changed since the last success. */
    copy: async (signal: AbortSignal): Promise<boolean> => {
      if (!restic) {
        await removeCopyRecord(directory);

        return false;
      }
      const found = await readLocalState(settings);
      if (found.newestBackup === copied.newestBackup && found.log === copied.log) return false;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
      const copyNow = async () => {
        // Read again, because the wait for the lock may have been long.
        const state = await readLocalState(settings);
        await copyChanges(restic, settings, state, { copied, signal: limited });
        copied = state;
      };

      try {
        await withCopyLock(settings.databaseUrl, copyNow, { signal: limited, onWait });
      } catch (error) {
        if (!signal.aborted) await recordFailedCopy(directory);
        throw error;
      }

      return true;
    },
    /** Returns whether the last success included this backup. Always true without BACKUP_REPOSITORY. */
    hasCopied: (path: string): boolean => !restic || copied.newestBackup === path,
  };
}
