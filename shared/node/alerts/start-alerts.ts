import { startAlertRecorder } from './alert-recorder.ts';
import { alertChannels, type AlertChannel } from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { Second } from '../../time.ts';
import type { Timings } from '../config/timings.ts';
import { runPeriodically } from '../process/run-periodically.ts';
import { TimeoutError, withTimeout } from '../process/with-timeout.ts';
import { sendRecordedAlerts, sendUnrecordedAlerts } from './alert-sender.ts';
import { openAlertSenders, type AlertSettings } from './alert-channels.ts';

/** Time limit for sending the last alerts at shutdown, in milliseconds. */
const SHUTDOWN_TIMEOUT = 10 * Second;

/** Runs `work` until the timeout. */
async function finishInTime(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  try {
    await withTimeout(work, SHUTDOWN_TIMEOUT);
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
}

/** Records this process's alerts and sends all processes' alerts. Without PostgreSQL, it sends only its own. */
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
  const services = { database, recorder, timings, logger };
  const running = new Map<AlertChannel, Promise<void>>();

  const sendOn = async (channel: AlertChannel, send: typeof sendRecordedAlerts, signal: AbortSignal) => {
    const sendNotice = senders[channel];
    if (!sendNotice) return;
    await send(services, { channel, send: sendNotice, signal }).catch((error: unknown) =>
      logger.warn({ err: error }, 'Alerts could not be read.'),
    );
  };
  /** Starts a round on each idle channel. Channels don't wait for each other, because a mail server may hang. */
  const startRounds = async (signal: AbortSignal) => {
    const send = (await recorder.flush()) ? sendRecordedAlerts : sendUnrecordedAlerts;
    for (const channel of alertChannels) {
      if (running.has(channel)) continue;
      running.set(channel, sendOn(channel, send, signal).finally(() => running.delete(channel)));
    }
  };
  const stopRounds = runPeriodically({
    run: startRounds,
    intervalMs: timings.alerts.sendEvery,
    // Wait first, so that alerts raised during startup are sent together.
    initialDelayMs: timings.alerts.sendEvery,
    onError: (error) => logger.warn({ err: error }, 'Alerts could not be sent.'),
  });

  const flush = async (signal: AbortSignal) => {
    if (await recorder.flush()) return;
    await Promise.all(alertChannels.map((channel) => sendOn(channel, sendUnrecordedAlerts, signal)));
  };
  const stop = async () => {
    await Promise.all([stopRounds().then(() => Promise.all(running.values())), recorder.stop()]);
  };

  return {
    /** Records the raised alerts, or sends them if that fails. For a process that is about to exit. */
    flush: (): Promise<void> => finishInTime(flush),
    /** Records the raised alerts and stops sending. Takes at most ten seconds, like `flush`. */
    stop: async (): Promise<void> => {
      await finishInTime(stop);
      await close();
    },
  };
}
