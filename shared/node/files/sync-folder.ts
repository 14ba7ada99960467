import { open } from 'node:fs/promises';

/** Waits until a folder's entries are on disk (fsync): a new or renamed file survives a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');

  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
