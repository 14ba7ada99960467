import { rmSync } from 'node:fs';
import { lstat, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getErrorCode, SiteError } from '../../shared/node/logging/describe-error.ts';
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

/**
 * Path of the folder with one file per worker of this user, named by process id; it is created if missing. The
 * temporary folder around it may be shared with other users, so theirs is refused: a link in it would be followed.
 * @throws SiteError if another user owns the folder or can write to it
 */
async function openHeartbeatFolder(): Promise<string> {
  const folder = join(tmpdir(), `worker-heartbeats-${user}`);
  await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
    if (getErrorCode(error) !== 'EEXIST') throw error;
  });
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== user || (found.mode & 0o022) !== 0) {
    throw new SiteError(`${folder} is not a folder that only user ${user} can write to: remove it, or set another TMPDIR.`);
  }

  return folder;
}

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
  let file: string | undefined;
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
      file = join(await openHeartbeatFolder(), String(process.pid));
      await writeFile(file, '');
    },
    stop: () => {
      clearInterval(checks);
      // Its number may become another process's, which beats no more.
      if (file !== undefined) rmSync(file, { force: true });
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

/** Milliseconds since the beat in this file; undefined if its worker has ended, and the file is removed. */
async function readAge(folder: string, pid: string): Promise<number | undefined> {
  const path = join(folder, pid);
  if (!isRunning(Number(pid))) await rm(path, { force: true });
  // A worker that stops removes its file.
  const file = await stat(path).catch(() => undefined);

  return file && Date.now() - file.mtimeMs;
}

/**
 * Milliseconds since the last heartbeat of the worker that has been silent for the longest, among those of
 * this user that run here: in a container the only one. Infinity when none runs.
 * @throws SiteError if another user owns the folder of heartbeats or can write to it
 */
export async function readHeartbeatAge(): Promise<number> {
  const folder = await openHeartbeatFolder();
  const found = await Promise.all((await readdir(folder)).map((pid) => readAge(folder, pid)));
  const ages = found.filter((age) => age !== undefined);

  return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
}
