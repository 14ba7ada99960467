import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import {
  appendToErasureLogFile,
  getErasureLogPath,
  readErasureLogFile,
} from '../../shared/node/erasure/erasure-log.ts';
import { Day } from '../../shared/time.ts';
import { getHashPath, hashFile, readHash } from '../../shared/node/files/backup-files.ts';
import { OpsError } from '../cli/session.ts';
import { fetchFile } from './repository.ts';
import type { Restic } from './restic.ts';
import { findNewestDump, selectDumps, selectKind, type Snapshot } from './snapshots.ts';

const getDumpName = ({ names }: Snapshot): string => names.find((name) => name.endsWith('.dump')) ?? '';

export const listStoredBackups = (snapshots: readonly Snapshot[]): readonly string[] =>
  selectDumps(snapshots).map(getDumpName);

const FOLDER_PREFIX = '.fetched-';

/** What processes that were killed left: it has everything that visitors wrote. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith(FOLDER_PREFIX));
  for (const folder of names.map((name) => join(parent, name))) {
    // Another process removes its own when it likes.
    const modified = statSync(folder, { throwIfNoEntry: false })?.mtimeMs;
    if (modified !== undefined && Date.now() - modified > Day) await rm(folder, { recursive: true, force: true });
  }
}

/** Runs `work` with a folder in `parent`, which must have room: a container's temporary files have little. */
export async function withFolderIn<Result>(
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
  const dumps = selectKind(snapshots, 'dump');
  const snapshot =
    name === undefined ? findNewestDump(snapshots) : dumps.find((dump) => getDumpName(dump) === name);
  if (!snapshot) {
    const known = dumps.map(getDumpName).join(', ') || 'none';
    throw new OpsError(`The repository has no ${name ?? 'backup'}; its backups: ${known}.`);
  }

  return snapshot;
}

async function fetchHash(restic: Restic, folder: string, snapshot: Snapshot, signal?: AbortSignal): Promise<string> {
  const dump = getDumpName(snapshot);
  const path = join(folder, dump);
  await fetchFile(restic, snapshot, getHashPath(dump), getHashPath(path), signal);

  return path;
}

async function fetchDump(restic: Restic, path: string, snapshot: Snapshot, signal?: AbortSignal): Promise<void> {
  const dump = getDumpName(snapshot);
  await fetchFile(restic, snapshot, dump, path, signal);
  if ((await readHash(path)) !== (await hashFile(path))) {
    throw new OpsError(`${dump} is damaged in the repository: its SHA-256 differs from the one stored with it.`);
  }
}

/** Fetches a backup (the newest without `name`) into a folder and compares its hash. Returns its path. */
export async function fetchBackup(
  restic: Restic,
  folder: string,
  snapshots: readonly Snapshot[],
  { name, signal }: { readonly name?: string; readonly signal: AbortSignal },
): Promise<string> {
  const snapshot = findBackup(snapshots, name);
  const path = await fetchHash(restic, folder, snapshot, signal);
  await fetchDump(restic, path, snapshot, signal);

  return path;
}

const hasHash = async (path: string, hash: string | undefined): Promise<boolean> =>
  existsSync(path) && (await hashFile(path)) === hash;

/** The same into the folder of backups, where a whole copy that is there already is used. */
export async function fetchIntoBackups(
  restic: Restic,
  { backup }: Pick<Config, 'backup'>,
  snapshots: readonly Snapshot[],
  { name, signal }: { readonly name: string | undefined; readonly signal: AbortSignal },
): Promise<string> {
  const snapshot = findBackup(snapshots, name);

  return withFolderIn(backup.directory, async (folder) => {
    const fetched = await fetchHash(restic, folder, snapshot, signal);
    const path = join(dirname(folder), getDumpName(snapshot));
    if (!(await hasHash(path, await readHash(fetched)))) {
      await fetchDump(restic, fetched, snapshot, signal);
      await rename(fetched, path);
    }
    await rename(getHashPath(fetched), getHashPath(path));

    return path;
  });
}

/**
 * Adds the entries of all stored erasure logs to the one in ERASURES_DIR: any of them may be of an older machine.
 * @returns the newest copy's time and how many lines can't be read; undefined when there is none
 */
export async function mergeStoredErasureLogs(
  restic: Restic,
  { backup, privacy }: Pick<Config, 'backup' | 'privacy'>,
  snapshots: readonly Snapshot[],
): Promise<{ readonly time: Date; readonly damagedLines: number } | undefined> {
  const copies = selectKind(snapshots, 'erasures');
  const damaged: number[] = [];
  for (const copy of copies) {
    await withFolderIn(backup.directory, async (folder) => {
      await fetchFile(restic, copy, copy.names[0] ?? '', getErasureLogPath(folder));
      const log = await readErasureLogFile(folder);
      damaged.push(log.damagedLines);
      await appendToErasureLogFile(privacy.erasuresDirectory, log);
    });
  }

  return copies[0] && { time: copies[0].time, damagedLines: damaged[0] ?? 0 };
}
