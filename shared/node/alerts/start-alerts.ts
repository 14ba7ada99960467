import { startAlertRecorder } from './alert-recorder.ts';
import { alertChannels, type AlertChannel } from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { Second } from '../../time.ts';
import type { Timings } from '../config/timings.ts';
import { runPeriodically } from '../process/run-periodically.ts';
import { TimeoutError, withTimeout } from '../process/with-timeout.ts';
import { sendUnrecordedAlerts, sendRecordedAlerts, type SendRound, type SenderServices } from './alert-sender.ts';
import { openAlertSenders, type AlertSettings } from './alert-channels.ts';

/** A process that shuts down waits no longer for its last alerts. */
const SHUTDOWN_TIMEOUT = 10 * Second;

/** The rounds of each channel, which don't wait for the other's: a mail server that hangs delays no post. */
function createRounds(services: SenderServices) {
  const running = new Map<AlertChannel, Promise<void>>();

  return {
    start: (send: SendRound, signal: AbortSignal) => {
      for (const channel of alertChannels) {
        if (running.has(channel)) continue;
        const round = send(services, channel, signal).finally(() => running.delete(channel));
        running.set(channel, round);
      }
    },
    waitForEnd: () => Promise.all(running.values()),
  };
}

/** What can't be finished in time is left undone. */
async function finishInTime(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await withTimeout(work, SHUTDOWN_TIMEOUT);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
}

/** Records this process's alerts and sends those of all; without PostgreSQL it sends its own directly. */
export function startAlerts(
  settings: AlertSettings,
  { database, logger, timings }: {
    readonly database: Database;
    readonly logger: Logger;
    readonly timings: Pick<Timings, 'alerts' | 'lease' | 'attempt' | 'backOff' | 'smtp'>;
  },
) {
  const recorder = startAlertRecorder(database, logger);
  const { senders, close } = openAlertSenders(settings, timings.smtp, logger);
  const services = { database, recorder, senders, timings, logger };
  const rounds = createRounds(services);
  const stopRounds = runPeriodically({
    run: async (signal) => rounds.start((await recorder.flush()) ? sendRecordedAlerts : sendUnrecordedAlerts, signal),
    intervalMs: timings.alerts.sendEvery,
    // Alerts of the start are collected, to be sent together.
    initialDelayMs: timings.alerts.sendEvery,
    onError: (error) => logger.warn({ err: error }, 'Alerts could not be sent.'),
  });

  const flush = async (signal: AbortSignal) => {
    if (await recorder.flush()) return;
    await Promise.all(alertChannels.map((channel) => sendUnrecordedAlerts(services, channel, signal)));
  };
  const stop = async () => {
    await Promise.all([stopRounds().then(rounds.waitForEnd), recorder.stop()]);
  };

  return {
    /** For a process that is about to exit: records what was raised, or sends it where that fails. */
    flush: (): Promise<void> => finishInTime(flush),
    /** Records what was raised and stops sending. Both take ten seconds at most. */
    stop: async (): Promise<void> => {
      await finishInTime(stop);
      await close();
    },
  };
}
