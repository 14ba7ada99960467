import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The password of `empty-repository`. */
export const REPOSITORY_PASSWORD = 'the-word-of-the-repository';

/**
 * What restic 0.14 made by `restic init`, but for the key's derivation from the password: its file was decrypted, and
 * encrypted again with scrypt's N = 1024 and r = 1. restic has no setting for these and takes what costs most of the
 * processor time of a command of the tests, 0.11 of 0.19 s.
 */
const template = fileURLToPath(new URL('empty-repository', import.meta.url));

/** Writes a repository in which nothing is into a folder, which it makes. */
export async function writeEmptyRepository(folder: string): Promise<void> {
  await cp(template, folder, { recursive: true });
  // git keeps no empty folders.
  for (const name of ['data', 'index', 'locks', 'snapshots']) await mkdir(join(folder, name));
}
