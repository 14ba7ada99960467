import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';
import { PREVIOUS_REVISION } from '../support/previous-version.ts';
import { runCommand } from './run-command.ts';

const context = { env: process.env, cwd: projectRoot };

/** Lists this version's files as in a checkout, except those that git ignores. */
async function listFiles(): Promise<readonly string[]> {
  const list = async (...which: string[]) =>
    (await runCommand(['git', 'ls-files', '-z', ...which], context)).split('\0').filter(Boolean);
  const deleted = new Set(await list('--deleted'));
  const files = await list('--cached', '--others', '--exclude-standard');

  return files.filter((file) => !deleted.has(file));
}

/** Removes files and then empty folders, as git does. An image's build would also copy empty folders. */
async function removeFiles(folder: string, files: readonly string[]): Promise<void> {
  for (const file of files) await rm(join(folder, file), { force: true });
  await runCommand(['find', folder, '-mindepth', '1', '-type', 'd', '-empty', '-delete'], context);
}

/** Copies this version's files into a folder. */
export async function layOutThisVersion(folder: string): Promise<void> {
  for (const file of await listFiles()) {
    await cp(join(projectRoot, file), join(folder, file), { recursive: true });
  }
}

/** Removes this version's files from a folder and leaves the operator's files. */
export const removeThisVersion = async (folder: string): Promise<void> =>
  removeFiles(folder, await listFiles());

/**
 * Copies the previous version's files into a folder.
 * @throws an error if the history lacks that version, as in a shallow clone
 */
export async function layOutPreviousVersion(folder: string): Promise<void> {
  const archive = join(folder, 'version.tar');
  await runCommand(['git', 'archive', '--output', archive, PREVIOUS_REVISION], context);
  // Use a checkout's file modes, because group-writable folders would change the image layers.
  const extract = ['tar', '--extract', '--no-same-permissions'];
  await runCommand([...extract, '--file', archive, '--directory', folder], context);
  await rm(archive);
}

/** Removes the previous version's files from a folder and leaves the operator's files. */
export async function removePreviousVersion(folder: string): Promise<void> {
  const list = ['git', 'ls-tree', '-r', '--name-only', '-z', PREVIOUS_REVISION];
  await removeFiles(folder, (await runCommand(list, context)).split('\0').filter(Boolean));
}
