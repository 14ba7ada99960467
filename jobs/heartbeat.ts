import { stat, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/** Touched after each finished sweep; read by the container's health check. */
const heartbeatFile = join(tmpdir(), `worker-heartbeat-${userInfo().uid}`);

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
