import { readFile, statfs } from 'node:fs/promises';

const GIBIBYTE = 1024 ** 3;

/** Linux's in-memory file system. In containers it often has only 64 MB. */
const FOLDER = '/dev/shm';

/** Required space in bytes. Tests and the stack store up to 5 GiB there, and their processes use 3 GiB of memory. */
const REQUIRED_BYTES = { folder: 6 * GIBIBYTE, memory: 10 * GIBIBYTE };

/** Returns the in-memory folder if it is large enough and allows executables. Using it makes tests 20% faster. */
export async function findMemoryFolder(): Promise<string | undefined> {
  // The folder exists only on Linux.
  const space = await statfs(FOLDER).catch(() => undefined);
  if (!space || space.bavail * space.bsize < REQUIRED_BYTES.folder || process.availableMemory() < REQUIRED_BYTES.memory) return undefined;
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' '));
  const options = mounts.findLast(([, folder]) => folder === FOLDER)?.[3] ?? '';

  return options.split(',').includes('noexec') ? undefined : FOLDER;
}
