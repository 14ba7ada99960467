import { mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../../shared/node/logging/logger.ts';

/** Number of checks within `maxSilenceMs`. */
const CHECKS = 10;

export type Heartbeat = ReturnType<typeof startHeartbeat>;

/**
 * Starts the heartbeat, a file whose age the container's health check reads. After `maxSilenceMs` without a beat the
 * process exits with 1, because Compose restarts exited containers, but not unhealthy ones.
 * @param settle runs before the exit. It must not hang
 */
export function startHeartbeat(maxSilenceMs: number, logger: Logger, settle: () => Promise<void>) {
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
    /** Records a beat. Call it after each run of the worker's loop, failed or not. */
    beat: async () => {
      silentChecks = 0;
      await writeFile(join(folder, 'beat'), '');
    },
    stop: () => clearInterval(checks),
  };
}
