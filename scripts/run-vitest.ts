import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemPath } from './prerequisites.ts';
import { projectRoot, runCommandGroup } from './processes.ts';
import { printLines } from './progress.mjs';

const GIBIBYTE = 1024 ** 3;

/** Linux's file system in memory, which containers mostly have with 64 MB. */
const MEMORY_FOLDER = '/dev/shm';

/** What there has to be, in bytes: a run of all tests keeps up to 5 GiB there, and its processes have 3 GiB. */
const NEEDED = { folder: 6 * GIBIBYTE, memory: 10 * GIBIBYTE };

/** Whether the folder is large enough, and programs may be started from it, as tests do. */
async function isMemoryFolderUsable(): Promise<boolean> {
  if (process.availableMemory() < NEEDED.memory) return false;
  const space = await statfs(MEMORY_FOLDER);
  const mounts = await readFile('/proc/self/mounts', 'utf8');
  const options = mounts.split('\n').findLast((line) => line.split(' ')[1] === MEMORY_FOLDER)?.split(' ')[3] ?? '';

  return space.bavail * space.bsize >= NEEDED.folder && !options.split(',').includes('noexec');
}

/** Where a run keeps its files: in memory where there is enough, which takes a fifth off its time (decision 081). */
async function chooseParentFolder(): Promise<string> {
  // Other systems have no such folder.
  return (await isMemoryFolderUsable().catch(() => false)) ? MEMORY_FOLDER : tmpdir();
}

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
  const folder = await mkdtemp(join(await chooseParentFolder(), 'test-run-'));
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
