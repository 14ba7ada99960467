import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/**
 * What counts as the version before this one: the last commit before the stack for operators. Raised
 * with each release.
 */
const PREVIOUS_COMMIT = '3a2c804f0f89301442ed1f18a0535ba67f9681b6';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The version before this one in a folder of its own, with this one's packages and built pages:
 * what changes between two versions and can hurt is the code that shares the database.
 * @throws when its commit isn't in this clone
 */
export async function checkOutPreviousVersion(): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: rootFolder });
  await git('cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`).catch(() => {
    throw new Error(
      `The previous version (commit ${PREVIOUS_COMMIT}) isn't in this clone: fetch the whole history (git fetch --unshallow).`,
    );
  });
  const folder = await mkdtemp(join(tmpdir(), 'test-previous-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const archive = join(folder, 'version.tar');
  await git('archive', '--output', archive, PREVIOUS_COMMIT);
  await run('tar', ['-xf', archive, '-C', folder]);
  for (const name of ['node_modules', 'dist']) {
    await symlink(join(rootFolder, name), join(folder, name));
  }

  return folder;
}
