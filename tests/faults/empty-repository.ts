import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The password of `empty-repository`. */
export const REPOSITORY_PASSWORD = 'the-word-of-the-repository';

/**
 * A repository made by restic 0.14's `restic init`. Its key file was re-encrypted with scrypt's N = 1024 and r = 1.
 * restic has no setting for these parameters. With its default values, scrypt takes 0.11 s of the 0.19 s of processor
 * time per command.
 */
const template = fileURLToPath(new URL('empty-repository', import.meta.url));

/** Creates a folder with an empty repository. */
export async function writeEmptyRepository(folder: string): Promise<void> {
  await cp(template, folder, { recursive: true });
  // git doesn't store empty folders.
  for (const name of ['data', 'index', 'locks', 'snapshots']) await mkdir(join(folder, name));
}
