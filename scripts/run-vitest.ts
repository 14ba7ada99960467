import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMemoryFolder } from './memory-folder.ts';
import { systemPath } from './prerequisites.ts';
import { projectRoot, runCommandGroup } from './processes.ts';
import { printLines } from './progress.mjs';

/**
 * Runs Vitest with the programs of the system, and with a folder of its own for temporary files, which is removed when
 * it ends: an interrupted run leaves no databases and no profiles of browsers behind.
 * @param variables of the environment, beside those of this process
 * @param run starts the command, and returns its exit code
 * @returns its exit code, 128 + n for a signal
 */
export async function runVitest(
  args: readonly string[],
  variables: NodeJS.ProcessEnv = {},
  run = runCommandGroup,
): Promise<number> {
  const folder = await mkdtemp(join((await findMemoryFolder()) ?? tmpdir(), 'test-run-'));
  // As the folder around it: what root starts as another user, PostgreSQL for one, writes there too.
  await chmod(folder, 0o1777);
  const env = { ...process.env, NODE_ENV: 'test', PATH: systemPath, TMPDIR: folder, ...variables };
  try {
    return await run(join(projectRoot, 'node_modules', '.bin', 'vitest'), args, env);
  } finally {
    // After a signal PostgreSQL may write for some seconds yet.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 }).catch((error: unknown) =>
      printLines(`${folder} is left: ${String(error)}`),
    );
  }
}
