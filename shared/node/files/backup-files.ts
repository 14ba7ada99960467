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

/** `site-20261121T030000000Z.dump`, with the time in UTC. */
export function formatBackupName(createdAt: Date): string {
  return `site-${formatFileTime(createdAt)}.dump`;
}

function parseBackupName(name: string): Date | undefined {
  const [, time] = NAME.exec(name) ?? [];

  return time === undefined ? undefined : parseFileTime(time);
}

export const getPartPath = (path: string): string => `${path}${PART}`;
export const getHashPath = (path: string): string => `${path}${HASH}`;

/** The verified backups in the folder, the newest first; none when there is no folder. */
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

/** SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);

  return hash.digest('hex');
}

/** The hash in the file beside a backup; undefined when there is no such file or no hash in it. */
export async function readHash(path: string): Promise<string | undefined> {
  const text = await readFile(getHashPath(path), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  });

  return /^[0-9a-f]{64}(?= )/.exec(text)?.[0];
}

/** Completes a backup: flushes the part to the disk, writes its hash, and gives it its name; returns the hash. */
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

/** Deletes parts and lone hashes that killed backups left. The caller holds the lock of backups. */
export async function removeLeftovers(folder: string): Promise<void> {
  const names = await readdir(folder);
  for (const name of names) {
    const of = (suffix: string) => name.endsWith(suffix) && NAME.test(name.slice(0, -suffix.length));
    const isLeft = of(PART) || (of(HASH) && !names.includes(name.slice(0, -HASH.length)));
    if (isLeft) await rm(join(folder, name), { force: true });
  }
}

/** Deletes all but the newest `keep` of the verified backups; returns their paths. */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep).map(({ path }) => path);
  for (const path of old) {
    // Somebody else may delete what is old, too.
    await rm(path, { force: true });
    await rm(getHashPath(path), { force: true });
  }

  return old;
}
