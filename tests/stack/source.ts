import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/processes.ts';
import { runCommand } from './run-command.ts';

/**
 * What counts as the version before this one, the last without a proxy, backups and roles: upgrades
 * from it, and its processes beside this version's, must work. Raised with each release.
 */
export const OLD_REVISION = '3a2c804';

const place = { env: process.env, cwd: projectRoot };

/** Puts the files of this version into a folder as a checkout would: none that git ignores. */
export async function layOutThisVersion(folder: string): Promise<void> {
  const listed = await runCommand(
    ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z'],
    place,
  );
  const files = listed.split('\0').filter(Boolean);
  const present = await runCommand(['git', 'ls-files', '--deleted', '-z'], place);
  const deleted = new Set(present.split('\0'));
  for (const file of files.filter((name) => !deleted.has(name))) {
    await cp(join(projectRoot, file), join(folder, file), { recursive: true });
  }
}

/**
 * Puts the files of the version before into a folder.
 * @throws when the history has not got it, as in a shallow clone
 */
export async function layOutOldVersion(folder: string): Promise<void> {
  const archive = join(folder, 'version.tar');
  await runCommand(['git', 'archive', '--output', archive, OLD_REVISION], place);
  await runCommand(['tar', '--extract', '--file', archive, '--directory', folder], place);
  await rm(archive);
}

/** Takes the files of a version out of its folder; what the operator made stays. */
export async function removeOldVersion(folder: string): Promise<void> {
  const listed = await runCommand(
    ['git', 'ls-tree', '-r', '--name-only', '-z', OLD_REVISION],
    place,
  );
  for (const file of listed.split('\0').filter(Boolean)) {
    await rm(join(folder, file), { force: true });
  }
}
