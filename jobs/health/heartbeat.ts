import { rmSync } from 'node:fs';
import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { Second } from '../../shared/time.ts';

/**
 * Milliseconds, more than the longest sweep takes (100 s, where Redis hangs) with the wait before it (30 s): a worker
 * without a heartbeat for longer hangs.
 */
export const MAX_HEARTBEAT_AGE = 150 * Second;

/** How often the heartbeat is checked within the longest silence; missed checks aren't made up for. */
const CHECKS = 10;

/** By number, because the container's user has no name. */
const user = process.getuid?.() ?? 0;
const prefix = `worker-heartbeat-${user}-`;

export interface Heartbeat {
  /** To be called after each run of the worker's loop, whatever came of it. */
  readonly beat: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Starts the heartbeat of this worker: a file of its process, whose age the probes read. Without a beat for
 * `maxSilenceMs` the process ends itself with code 1, for whatever restarts it: Compose restarts what
 * exits, not what is unhealthy. Silence is counted by checks, so that a process that was paused gets the
 * same time again. When the event loop itself is blocked, nothing here runs: then an orchestrator's
 * liveness probe ends the worker.
 * @param settle what is waited for before the exit; it must be bounded
 */
export function startHeartbeat(
  maxSilenceMs: number,
  logger: Logger,
  settle: () => Promise<void>,
): Heartbeat {
  const file = join(tmpdir(), `${prefix}${process.pid}`);
  let silentChecks = 0;
  const checks = setInterval(() => {
    silentChecks += 1;
    if (silentChecks <= CHECKS) return;
    clearInterval(checks);
    logger.fatal({ maxSilenceMs, alert: 'worker-hangs' }, 'The worker’s loop hangs; the process exits.');
    void settle().finally(() => process.exit(1));
  }, maxSilenceMs / CHECKS);

  return {
    beat: async () => {
      silentChecks = 0;
      await writeFile(file, '');
    },
    stop: () => {
      clearInterval(checks);
      // Its number may become another process's, which beats no more.
      rmSync(file, { force: true });
    },
  };
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
 * Milliseconds since the last heartbeat of the worker that has been silent for the longest, among those of
 * this user that run here: in a container the only one. Infinity when none runs.
 */
export async function readHeartbeatAge(): Promise<number> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(prefix));
  const ages = (await Promise.all(names.map(readAge))).filter((age) => age !== undefined);

  return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
}
