import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Second } from '../shared/time.ts';

/** Two sweeps and a bit, in milliseconds: a loop that has been silent for longer hangs. */
export const MAX_HEARTBEAT_AGE = 90 * Second;

/**
 * Touched after each sweep, read by the health checks of its container: every worker has a `/tmp` of
 * its own. One for each user, since the folder is everybody's; by number, for the container's user
 * has no name.
 */
const heartbeatFile = join(tmpdir(), `worker-heartbeat-${process.getuid?.() ?? 0}`);

/** Notes that the worker's loop turns, whatever came of its turn. */
export async function beat(): Promise<void> {
  await writeFile(heartbeatFile, '');
}

/** Milliseconds since the last beat; Infinity when there was none. */
export async function readHeartbeatAge(): Promise<number> {
  try {
    return Date.now() - (await stat(heartbeatFile)).mtimeMs;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
