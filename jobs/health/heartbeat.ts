import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Second } from '../../shared/time.ts';

/** Two sweeps and a bit, in milliseconds: a loop that has been silent for longer hangs. */
export const MAX_HEARTBEAT_AGE = 90 * Second;

/** By number, because the container's user has no name. */
const user = process.getuid?.() ?? 0;
const prefix = `worker-heartbeat-${user}-`;

/** Records that this worker's loop turns, whatever came of its turn: in a file of each process. */
export async function beat(): Promise<void> {
  await writeFile(join(tmpdir(), `${prefix}${process.pid}`), '');
}

/** Whether a process of this user has the id; one that may not be signalled is another user's. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Milliseconds since the beat in this file; undefined when its worker has ended, whose file goes. */
async function readAge(name: string): Promise<number | undefined> {
  const path = join(tmpdir(), name);
  const file = await lstat(path).catch(() => undefined);
  // The folder is everybody's: a file of that name by another user says nothing.
  if (file?.uid !== user) return undefined;
  if (isRunning(Number(name.slice(prefix.length)))) return Date.now() - file.mtimeMs;
  await rm(path, { force: true });

  return undefined;
}

/**
 * Milliseconds since the last beat of the worker that has been silent for the longest, among those of
 * this user that run here: in a container the only one. Infinity when none runs.
 */
export async function readHeartbeatAge(): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const ages = (await Promise.all(names.map(readAge))).filter((age) => age !== undefined);

  return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
}
