import { setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../../shared/node/database/database.ts';
import { countRunningDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import { printError } from '../cli/terminal.ts';

/** Longer than a lease; a delivery that is tried anew about an erased request ends at once. */
const LONGEST_WAIT = 2 * Minute;
const CHECK_AFTER = 0.5 * Second;

/** Asks until no delivery is carried out, the time is over, or the signal comes. */
async function waitUntilNoneRuns(
  database: Database,
  submissionIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + LONGEST_WAIT;
  let reported = 0;

  while (!signal.aborted && performance.now() < end) {
    const { count, endsInMs } = await countRunningDeliveries(database, submissionIds);
    if (count === 0) return;
    if (count !== reported) {
      const seconds = Math.ceil(endsInMs / Second);
      printError(`Waits for ${count} deliveries that workers are carrying out, ${seconds} s at most; Ctrl-C ends the wait.`);
    }
    reported = count;
    await wait(CHECK_AFTER, undefined, { signal }).catch(() => undefined);
  }
}

/**
 * Waits until workers have ended what they are doing about some submissions, two minutes at most;
 * Ctrl-C ends the wait, not the tool.
 */
export async function waitForRunningDeliveries(
  database: Database,
  submissionIds: readonly string[],
): Promise<void> {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  process.once('SIGINT', cancel);

  try {
    await waitUntilNoneRuns(database, submissionIds, stop.signal);
  } finally {
    process.off('SIGINT', cancel);
  }
}
