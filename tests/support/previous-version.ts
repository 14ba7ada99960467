import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The version before this one: upgrades from it, and its processes beside this version's, must work. Raised
 * with each release, and when this version no longer has a package that its processes import.
 */
export const PREVIOUS_REVISION = '75ca6eca';

/**
 * Checks out the version before this one with this one's packages and built pages: what changes between two
 * versions and can hurt is the code that shares the database.
 * @param onTestFinished Vitest's own; the folder is removed then
 * @returns the folder
 * @throws when the commit isn't in this clone
 */
export async function checkOutPreviousVersion(
  onTestFinished: (remove: () => Promise<void>) => void,
): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: rootFolder });
  await git('cat-file', '-e', `${PREVIOUS_REVISION}^{commit}`).catch(() => {
    throw new Error(
      `The commit ${PREVIOUS_REVISION} of the version before isn't in this clone: fetch the whole history (git fetch --unshallow).`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'test-previous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'version.tar');
  await git('archive', '--output', archive, PREVIOUS_REVISION);
  await run('tar', ['-xf', archive, '-C', folder]);
  for (const name of ['node_modules', 'dist']) {
    await symlink(join(rootFolder, name), join(folder, name));
  }

  return folder;
}
