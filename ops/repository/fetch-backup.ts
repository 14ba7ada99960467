import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import {
  appendToErasureLogFile,
  readErasureLogFile,
} from '../../shared/node/erasure/erasure-log.ts';
import { getHashPath, hashFile, readHash } from '../../shared/node/files/backup-files.ts';
import { Day } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { fetchFiles } from './repository.ts';
import type { Restic } from './restic.ts';
import { selectDumps, selectKind, type Snapshot } from './snapshots.ts';

const getDumpName = ({ names }: Snapshot): string => names.find((name) => name.endsWith('.dump')) ?? '';

/** Returns the names of the complete backups, newest first. */
export const listStoredBackups = (snapshots: readonly Snapshot[]): readonly string[] =>
  selectDumps(snapshots).map(getDumpName);

const FOLDER_PREFIX = '.fetched-';

/** Removes old folders left by killed processes. Recent folders may be in use. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(FOLDER_PREFIX));
  for (const folder of names.map((name) => join(parent, name))) {
    // The process that owns the folder may remove it at any time.
    const modified = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && Date.now() - modified > Day) await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `work` with a temporary folder in `parent`. A container's own folder for temporary files is too small. */
export async function withTemporaryFolder<Result>(
  parent: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  await mkdir(parent, { recursive: true, mode: 0o700 });
  await removeAbandoned(parent);
  const folder = await mkdtemp(join(resolve(parent), FOLDER_PREFIX));

  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function findBackup(snapshots: readonly Snapshot[], name: string | undefined): Snapshot {
  const dumps = selectDumps(snapshots);
  const snapshot = name === undefined ? dumps[0] : dumps.find((dump) => getDumpName(dump) === name);
  if (!snapshot) {
    const known = dumps.map(getDumpName).join(', ') || 'none';
    throw new OpsError(`The repository has no ${name ?? 'backup'}; its backups: ${known}.`);
  }

  return snapshot;
}

const matchesHash = async (path: string): Promise<boolean> => (await readHash(path)) === (await hashFile(path));

interface FetchOptions {
  /** Name of the backup. Default: the newest. */
  readonly name?: string | undefined;
  readonly signal: AbortSignal;
}

/** Fetches a backup and its hash file into a folder. Returns its path. @throws OpsError if it is damaged */
export async function fetchBackup(
  restic: Restic,
  folder: string,
  snapshots: readonly Snapshot[],
  { name, signal }: FetchOptions,
): Promise<string> {
  const snapshot = findBackup(snapshots, name);
  const path = join(folder, getDumpName(snapshot));
  await fetchFiles(restic, snapshot, folder, signal);
  if (await matchesHash(path)) return path;
  throw new OpsError(`${getDumpName(snapshot)} is damaged in the repository: its SHA-256 differs from the one stored with it.`);
}

/** Fetches a backup into BACKUP_DIR, unless it already contains an undamaged copy. Returns its path. */
export async function fetchIntoBackups(
  restic: Restic,
  { backup }: Pick<Config, 'backup'>,
  snapshots: readonly Snapshot[],
  { name, signal }: FetchOptions,
): Promise<string> {
  const path = join(resolve(backup.directory), getDumpName(findBackup(snapshots, name)));
  if (existsSync(path) && (await matchesHash(path))) return path;

  return withTemporaryFolder(dirname(path), async (folder) => {
    const fetched = await fetchBackup(restic, folder, snapshots, { name, signal });
    await rename(getHashPath(fetched), getHashPath(path));
    await rename(fetched, path);

    return path;
  });
}

/**
 * Adds the entries of all stored erasure logs to the one in ERASURES_DIR. The newest may be from another machine.
 * @returns the newest copy's time and its number of unreadable lines; undefined without copies
 */
export async function mergeStoredErasureLogs(
  restic: Restic,
  { backup, privacy }: Pick<Config, 'backup' | 'privacy'>,
  snapshots: readonly Snapshot[],
): Promise<{ readonly time: Date; readonly damagedLines: number } | undefined> {
  const copies = selectKind(snapshots, 'erasures');
  const damaged: number[] = [];
  for (const copy of copies) {
    await withTemporaryFolder(backup.directory, async (folder) => {
      await fetchFiles(restic, copy, folder);
      const log = await readErasureLogFile(folder);
      damaged.push(log.damagedLines);
      await appendToErasureLogFile(privacy.erasuresDirectory, log);
    });
  }

  return copies[0] && { time: copies[0].time, damagedLines: damaged[0] ?? 0 };
}
