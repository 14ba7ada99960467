import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../shared/node/logging/logger.ts';

/** How often the heartbeat is checked within the longest silence; missed checks aren't made up for. */
const CHECKS = 10;

export interface Heartbeat {
  /** To be called after each run of the worker's loop, whatever came of it. */
  readonly beat: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Starts the heartbeat of this worker: a file whose age the container's health check reads, in a new folder that no other
 * user can write to. Without a beat for `maxSilenceMs` the process ends itself with code 1, for whatever restarts it:
 * Compose restarts what exits, not what is unhealthy. Silence is counted by checks, so that a process that was paused
 * gets the same time again. When the event loop itself is blocked, nothing here runs: then an orchestrator's liveness
 * probe ends the worker.
 * @param settle what is waited for before the exit; it must be bounded
 */
export function startHeartbeat(
  maxSilenceMs: number,
  logger: Logger,
  settle: () => Promise<void>,
): Heartbeat {
  const folder = mkdtempSync(join(tmpdir(), 'worker-heartbeat-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
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
      await writeFile(join(folder, 'beat'), '');
    },
    stop: () => clearInterval(checks),
  };
}
