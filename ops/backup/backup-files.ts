import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';

/*
 * A backup is a file and, beside it, one with its SHA-256 as `sha256sum` writes it. That one is there
 * first, and only once the backup is verified: a backup that has it is a good one.
 */

const NAME = /^site-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z\.dump$/;
const PART = '.part';

/** A verified backup that lies in the folder. */
export interface BackupFile {
  readonly path: string;
  readonly createdAt: Date;
}

/** `site-20261121T030000000Z.dump`, of the time in UTC. */
export function makeBackupName(createdAt: Date): string {
  return `site-${createdAt.toISOString().replaceAll(/[-:.]/g, '')}.dump`;
}

function readBackupTime(name: string): Date | undefined {
  const [found, ...parts] = NAME.exec(name) ?? [];
  if (found === undefined) return undefined;
  const [year, month, day, hour, minute, second, ms] = parts;

  return new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`);
}

export const getPartPath = (path: string): string => `${path}${PART}`;
export const getHashPath = (path: string): string => `${path}.sha256`;

/** The verified backups of the folder, the newest first; none when there is no folder. */
export async function listBackups(folder: string): Promise<BackupFile[]> {
  const names = await readdir(resolve(folder)).catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const known = new Set(names);

  return names
    .filter((name) => known.has(getHashPath(name)))
    .flatMap((name) => {
      const createdAt = readBackupTime(name);

      return createdAt ? [{ path: join(resolve(folder), name), createdAt }] : [];
    })
    .sort((one, other) => other.createdAt.getTime() - one.createdAt.getTime());
}

/** SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);

  return hash.digest('hex');
}

/** The hash noted beside a backup; undefined when there is none, or none that can be read. */
export async function readHash(path: string): Promise<string | undefined> {
  const text = await readFile(getHashPath(path), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  });

  return /^[0-9a-f]{64}(?= )/.exec(text)?.[0];
}

/** Makes a part into a backup: on the disk, with its hash, and then under its name. */
export async function finishBackup(path: string): Promise<string> {
  const part = getPartPath(path);
  const file = await open(part, 'r+');
  await file.sync().finally(() => file.close());
  const hash = await hashFile(part);

  const note = await open(getHashPath(path), 'w', 0o600);
  try {
    await note.writeFile(`${hash}  ${basename(path)}\n`);
    await note.sync();
  } finally {
    await note.close();
  }
  await rename(part, path);
  await syncFolder(dirname(path));

  return hash;
}

/** Deletes what a backup that was killed left in the folder; nobody may be making one there. */
export async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.endsWith(PART) || !NAME.test(name.slice(0, -PART.length))) continue;
    await rm(join(folder, name), { force: true });
  }
}

/** Deletes all but the newest `keep` of the verified backups; returns their paths. */
export async function removeOldBackups(folder: string, keep: number): Promise<string[]> {
  const old = (await listBackups(folder)).slice(keep).map(({ path }) => path);
  for (const path of old) {
    await rm(path);
    await rm(getHashPath(path));
  }

  return old;
}
