import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { batchTimeouts, createDatabase, isDatabaseUnavailable } from '../../shared/node/database/database.ts';
import { getErasureLogPath } from '../../shared/node/erasure/erasure-log.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import {
  ensureRepository,
  findRepository,
  forgetSnapshots,
  labelEnd,
  listSnapshots,
  storeSnapshot,
} from '../repository/repository.ts';
import { mergeStoredErasureLogs } from '../repository/fetch-backup.ts';
import type { Restic } from '../repository/restic.ts';
import { getEnd, selectKind, selectOutdated, type Snapshot } from '../repository/snapshots.ts';
import { getHashPath, listBackups } from '../../shared/node/files/backup-files.ts';
import { Hour, Second } from '../../shared/time.ts';
import { ensureSiteName, recordCopy, recordFailedCopy, removeCopyRecord } from '../../shared/node/files/backup-records.ts';

/** Enough for a first copy over a slow line; a repository that hangs must not block the next day's backup. */
const TIMEOUT = 12 * Hour;

type CopySettings = Pick<Config, 'databaseUrl' | 'backup' | 'privacy' | 'programEnvironment' | 'site'>;

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

interface CopyContext {
  readonly site: string;
  readonly stored: readonly Snapshot[];
  readonly signal: AbortSignal;
}

async function copyBackup(
  restic: Restic,
  path: string,
  { site, stored, signal }: CopyContext,
): Promise<void> {
  const name = basename(path);
  // Of a file that can't be read restic stores a snapshot all the same, and fails.
  if (selectKind(stored, 'dump').some((dump) => getEnd(dump) && dump.names.includes(name))) return;
  const names = [name, basename(getHashPath(path))];
  await labelEnd(restic, await storeSnapshot(restic, { site, kind: 'dump', folder: dirname(path), names }, signal), signal);
}

async function copyErasureLog(
  restic: Restic,
  settings: CopySettings,
  { site, stored, isFirst, signal }: CopyContext & { readonly isFirst: boolean },
): Promise<void> {
  const path = getErasureLogPath(settings.privacy.erasuresDirectory);
  // This machine may have been set back: what it lacks must not be lost behind what it has.
  if (isFirst) await mergeStoredErasureLogs(restic, settings, stored);
  await storeSnapshot(restic, { site, kind: 'erasures', folder: dirname(path), names: [basename(path)] }, signal);
}

/** Copies what is newer than `copied`, and removes what is outdated then. */
async function copyChanges(
  restic: Restic,
  settings: CopySettings,
  { newestBackup, log }: LocalState,
  { copied, signal }: { readonly copied: LocalState; readonly signal: AbortSignal },
): Promise<void> {
  const { directory, keep } = settings.backup;
  await ensureRepository(restic, signal);
  const site = await ensureSiteName(directory, settings.site.publicUrl);
  const context = { site, stored: await listSnapshots(restic, site, signal), signal };
  // The log first: it is small, and a restore needs the newest.
  if (log !== undefined && log !== copied.log) {
    await copyErasureLog(restic, settings, { ...context, isFirst: copied.log === undefined });
  }
  if (newestBackup !== undefined) await copyBackup(restic, newestBackup, context);
  const snapshots = await listSnapshots(restic, site, signal);
  // As the repository has it, and the doctor: what was there already may be older than this copier.
  const newest = selectKind(snapshots, 'dump').find(getEnd);
  if (newest) await recordCopy(directory, newest.time);
  await forgetSnapshots(restic, selectOutdated(snapshots, keep, new Date()), signal);
}

const COPY_LOCK = 0x636f7079;
const POLL_INTERVAL = 1 * Second;

/** Runs `work` once no other process copies, or PostgreSQL is away. `onWait` is called once when it has to wait. */
async function withCopyLock(
  databaseUrl: string,
  work: () => Promise<void>,
  { signal, onWait }: { readonly signal: AbortSignal; readonly onWait: () => void },
): Promise<void> {
  const database = createDatabase(databaseUrl, 'backup', batchTimeouts);
  let underWay: Promise<void> | undefined;
  const start = () => (underWay ??= work());

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

/** Creates what copies BACKUP_DIR and ERASURES_DIR; `onWait` is called when it waits for another process. */
export function createBackupCopier(settings: CopySettings, onWait: () => void) {
  const { directory } = settings.backup;
  const restic = findRepository(settings);
  let copied: LocalState = { newestBackup: undefined, log: undefined };

  return {
    /**
     * Copies what has changed and removes what is outdated; returns whether anything had changed since its last
     * success.
     */
    copy: async (signal: AbortSignal): Promise<boolean> => {
      if (!restic) {
        await removeCopyRecord(directory);

        return false;
      }
      const found = await readLocalState(settings);
      if (found.newestBackup === copied.newestBackup && found.log === copied.log) return false;
      const limited = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
      const copyNow = async () => {
        // There may be a newer one after a wait.
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
    /** Whether this copier's last success had this backup; true without BACKUP_REPOSITORY. */
    hasCopied: (path: string): boolean => !restic || copied.newestBackup === path,
  };
}
