import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/**
 * What counts as the version before this one, the last without a proxy, backups and roles: upgrades
 * from it, and its processes beside this version's, must work. Raised with each release.
 */
export const PREVIOUS_REVISION = '3a2c804';

/** The oldest revision whose processes run with the packages of this one. Raised when a package they import goes. */
export const RUNNABLE_REVISION = '2cbf4e06';

/**
 * Checks out the version before this one, or the one of `revision`, with this one's packages and built
 * pages: what changes between two versions and can hurt is the code that shares the database.
 * @param onTestFinished Vitest's own; the folder is removed then
 * @returns the folder
 * @throws when the commit isn't in this clone
 */
export async function checkOutPreviousVersion(
  onTestFinished: (remove: () => Promise<void>) => void,
  revision = PREVIOUS_REVISION,
): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: rootFolder });
  await git('cat-file', '-e', `${revision}^{commit}`).catch(() => {
    throw new Error(
      `The commit ${revision} of an earlier version isn't in this clone: fetch the whole history (git fetch --unshallow).`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'test-previous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'version.tar');
  await git('archive', '--output', archive, revision);
  await run('tar', ['-xf', archive, '-C', folder]);
  for (const name of ['node_modules', 'dist']) {
    await symlink(join(rootFolder, name), join(folder, name));
  }

  return folder;
}
