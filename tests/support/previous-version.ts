import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The commit of the previous version. Upgrades from it must work, and its processes must work while this version's run.
 * Update it with each release, and when this version removes a package that the old processes import.
 */
export const PREVIOUS_REVISION = '75ca6eca';

/**
 * Checks out the previous version with this version's packages and built pages, because only the code that shares the
 * database matters for compatibility.
 * @param onTestFinished Vitest's function, used to remove the folder when the test ends
 * @returns the folder
 * @throws an error if the commit isn't in this clone
 */
export async function checkOutPreviousVersion(
  onTestFinished: (remove: () => Promise<void>) => void,
): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: rootFolder });
  await git('cat-file', '-e', `${PREVIOUS_REVISION}^{commit}`).catch(() => {
    throw new Error(
      `This clone lacks the commit of the previous version (${PREVIOUS_REVISION}). Run git fetch --unshallow.`,
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
