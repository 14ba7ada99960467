import { open } from 'node:fs/promises';

/** Flushes a folder's entries to disk (fsync), so that a new or renamed file survives a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');

  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
