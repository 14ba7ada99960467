import { access, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { getErrorCode } from '../logging/describe-error.ts';

/** Returns the folder or its nearest existing parent. @throws if access with `mode` (`node:fs` constants) is denied */
export async function findExisting(folder: string, mode: number): Promise<string> {
  try {
    await access(folder, mode);

    return folder;
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw error;

    return findExisting(dirname(folder), mode);
  }
}

/** Disk space in bytes. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** Returns the disk space of a folder that exists or will be created. @throws the file system's errors */
export async function readDiskSpace(folder: string): Promise<DiskSpace> {
  const { bavail, blocks, bsize } = await statfs(await findExisting(resolve(folder), 0));

  return { free: bavail * bsize, total: blocks * bsize };
}
