import { setTimeout as wait } from 'node:timers/promises';
import { countRunningDeliveries } from '../../shared/node/deliveries/list-deliveries.ts';
import { Minute, Second } from '../../shared/time.ts';
import type { Session } from '../cli/session.ts';

/** Longer than a lease; a retried delivery about an erased request ends at once. */
const TIMEOUT = 2 * Minute;
const POLL_INTERVAL = 0.5 * Second;

type WaitSession = Pick<Session, 'database' | 'terminal'>;

/** Polls until no delivery is processed, the timeout expires, or the signal is aborted. */
async function pollRunningDeliveries(
  { database, terminal }: WaitSession,
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
      terminal.printError(`Waiting for ${count} deliveries that workers are processing, ${seconds} s at most; Ctrl-C ends the wait.`);
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
  session: WaitSession,
  submissionIds: readonly string[],
): Promise<void> {
  const stop = new AbortController();
  const cancel = () => stop.abort();
  process.once('SIGINT', cancel);

  try {
    await pollRunningDeliveries(session, submissionIds, stop.signal);
  } finally {
    process.off('SIGINT', cancel);
  }
}
