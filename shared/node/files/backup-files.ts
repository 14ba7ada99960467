import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { formatFileTime, parseFileTime, sortNewestFirst } from '../../time.ts';
import { syncFolder } from './sync-folder.ts';
import { getErrorCode } from '../logging/describe-error.ts';

const NAME = /^site-(\d{8}T\d{9}Z)\.dump$/;
const PART = '.part';
const HASH = '.sha256';

export interface BackupFile {
  readonly path: string;
  readonly createdAt: Date;
}

/** Returns a backup's file name with the time in UTC: `site-20261121T030000000Z.dump`. */
export function formatBackupName(createdAt: Date): string {
  return `site-${formatFileTime(createdAt)}.dump`;
}

function parseBackupName(name: string): Date | undefined {
  const [, time] = NAME.exec(name) ?? [];

  return time === undefined ? undefined : parseFileTime(time);
}

export const getPartPath = (path: string): string => `${path}${PART}`;
export const getHashPath = (path: string): string => `${path}${HASH}`;

/** Lists the verified backups in a folder, newest first. Returns an empty list if the folder doesn't exist. */
export async function listBackups(folder: string, now = new Date()): Promise<readonly BackupFile[]> {
  const names = await readdir(resolve(folder)).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const existing = new Set(names);
  const backups = names
    .filter((name) => existing.has(getHashPath(name)))
    .flatMap((name) => {
      const createdAt = parseBackupName(name);

      return createdAt ? [{ path: join(resolve(folder), name), createdAt }] : [];
    });

  return sortNewestFirst(backups, ({ createdAt }) => createdAt, now);
}

/** Returns a file's SHA-256 in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);

  return hash.digest('hex');
}

/** Returns the hash stored beside a backup. Undefined if there is none. */
export async function readHash(path: string): Promise<string | undefined> {
  const text = await readFile(getHashPath(path), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  });

  return /^[0-9a-f]{64}(?= )/.exec(text)?.[0];
}

/** Completes a backup and returns its hash: flushes the part to disk, writes the hash, and renames the part. */
export async function finishBackup(path: string): Promise<string> {
  const part = getPartPath(path);
  const file = await open(part, 'r+');
  await file.sync().finally(() => file.close());
  const hash = await hashFile(part);

  await writeFile(getHashPath(path), `${hash}  ${basename(path)}\n`, { mode: 0o600, flush: true });
  await rename(part, path);
  await syncFolder(dirname(path));

  return hash;
}

/** Deletes partial backups and orphaned hashes that killed runs left behind. The caller must hold the backup lock. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    const hasSuffix = (suffix: string) => name.endsWith(suffix) && NAME.test(name.slice(0, -suffix.length));
    const isLeftover = hasSuffix(PART) || (hasSuffix(HASH) && !names.includes(name.slice(0, -HASH.length)));
    if (isLeftover) await rm(join(folder, name), { force: true });
  }
}

/** Deletes all but the newest `keep` verified backups and returns their paths. */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep).map(({ path }) => path);
  for (const path of old) {
    // `force`, because the file may already have been deleted.
    await rm(path, { force: true });
    await rm(getHashPath(path), { force: true });
  }

  return old;
}
