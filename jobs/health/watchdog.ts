import type { Logger } from '../../shared/node/logging/logger.ts';

/** Looks at the loop within its patience; missed ones aren't made up for. */
const LOOKS = 10;

/**
 * Ends the process with code 1 when its regular loop has not turned for `patience` milliseconds, for
 * whatever starts it anew: Compose does that with what ends, not with what is unhealthy. Time is
 * counted by looks, so that a process that was paused gets the same patience again. When the event
 * loop itself is blocked, nothing here runs: that case is for an orchestrator and `check-alive.ts`.
 * @param settle what is waited for before the end; it must be bounded
 */
export function startWatchdog(patience: number, logger: Logger, settle: () => Promise<void>) {
  let silentLooks = 0;
  const looks = setInterval(() => {
    silentLooks += 1;
    if (silentLooks <= LOOKS) return;
    clearInterval(looks);
    logger.fatal({ patience, alert: 'worker-hangs' }, 'The regular loop hangs; the process ends.');
    void settle().finally(() => process.exit(1));
  }, patience / LOOKS);

  return {
    /** To be called after each turn, whatever came of it. */
    noteTurn: (): void => {
      silentLooks = 0;
    },
    stop: (): void => clearInterval(looks),
  };
}
