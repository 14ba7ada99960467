import { open } from 'node:fs/promises';

/** Waits until the disk has the names in a folder: a new or renamed file survives a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');

  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
