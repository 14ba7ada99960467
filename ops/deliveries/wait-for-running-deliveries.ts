import { setTimeout as wait } from 'node:timers/promises';
import { countRunningDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import type { Session } from '../cli/session.ts';

/** Longer than a lease; a retried delivery about an erased request ends at once. */
const TIMEOUT = 2 * Minute;
const POLL_INTERVAL = 0.5 * Second;

/**
 * Waits until workers have ended the deliveries of some submissions, two minutes at most. A signal ends the wait only.
 */
export async function waitForRunningDeliveries(
  { database, terminal, listenForStop }: Pick<Session, 'database' | 'terminal' | 'listenForStop'>,
  submissionIds: readonly string[],
): Promise<void> {
  const signal = listenForStop();
  const end = performance.now() + TIMEOUT;
  let reported = 0;

  while (!signal.aborted && performance.now() < end) {
    const { count, endsInMs } = await countRunningDeliveries(database, submissionIds);
    if (count === 0) return;
    if (count !== reported) {
      const seconds = Math.ceil(endsInMs / Second);
      terminal.printError(`Waiting for ${count} deliveries that workers are processing, ${seconds} s at most; Ctrl-C ends the wait.`);
    }
    reported = count;
    await wait(POLL_INTERVAL, undefined, { signal }).catch(() => undefined);
  }
}
