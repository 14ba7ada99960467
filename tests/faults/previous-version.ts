import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { OLD_REVISION } from '../stack/source.ts';

const run = promisify(execFile);
const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/**
 * The version before this one, or the one of `revision`, in a folder of its own, with this one's packages
 * and built pages: what changes between two versions and can hurt is the code that shares the database.
 * @throws when its commit isn't in this clone
 */
export async function checkOutPreviousVersion(revision = OLD_REVISION): Promise<string> {
  const git = (...args: string[]) => run('git', args, { cwd: rootFolder });
  await git('cat-file', '-e', `${revision}^{commit}`).catch(() => {
    throw new Error(
      `The previous version (commit ${revision}) isn't in this clone: fetch the whole history (git fetch --unshallow).`,
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
