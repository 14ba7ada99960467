import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../shared/node/database/database.ts';
import { countRunningDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import { printError } from '../cli/terminal.ts';

/** Longer than a lease; a retried delivery about an erased request ends at once. */
const TIMEOUT = 2 * Minute;
const POLL_INTERVAL = 0.5 * Second;

/** Polls until no delivery is processed, the timeout expires, or the signal is aborted. */
async function pollRunningDeliveries(
  database: Database,
  submissionIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + TIMEOUT;
  let reported = 0;

  while (!signal.aborted && performance.now() < end) {
    const { count, endsInMs } = await countRunningDeliveries(database, submissionIds);
    if (count === 0) return;
    if (count !== reported) {
      const seconds = Math.ceil(endsInMs / Second);
      printError(`Waiting for ${count} deliveries that workers are processing, ${seconds} s at most; Ctrl-C ends the wait.`);
    }
    reported = count;
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Waits until workers have ended the deliveries of some submissions that they are processing, two
 * minutes at most; Ctrl-C ends the wait, not the command.
 */
export async function waitForRunningDeliveries(
  database: Database,
  submissionIds: readonly string[],
): Promise<void> {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  process.once('SIGINT', cancel);

  try {
    await pollRunningDeliveries(database, submissionIds, stop.signal);
  } finally {
    process.off('SIGINT', cancel);
  }
}
