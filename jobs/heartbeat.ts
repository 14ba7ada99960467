import { stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Touched after each finished sweep; read by the container's health check. One for each user, since
 * the folder is everybody's; by number, for the container's user has no name.
 */
const heartbeatFile = join(tmpdir(), `worker-heartbeat-${process.getuid?.() ?? 0}`);

/** Notes that the worker's loop is alive and reached the database. */
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
