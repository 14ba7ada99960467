import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';

/**
 * The folder, or the nearest one above it that exists: it is made when it is first written to.
 * @throws when that may not be used in the `mode` of `node:fs`' constants
 */
export async function findExisting(folder: string, mode: number): Promise<string> {
  try {
    await access(folder, mode);

    return folder;
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw error;

    return findExisting(dirname(folder), mode);
  }
}

/** The disk space where a folder is or will be, in bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** @throws when the disk can't be asked */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(await findExisting(resolve(folder), 0));

  return { free: bavail * bsize, total: blocks * bsize };
}
