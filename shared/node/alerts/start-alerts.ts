import { setTimeout as wait } from 'node:timers/promises';
import { startAlertRecorder } from './alert-recorder.ts';
import { alertChannels, type AlertChannel } from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { Second } from '../../time.ts';
import type { Timings } from '../config/timings.ts';
import { sendPendingAlerts, sendRecordedAlerts, type SendRound, type SenderServices } from './alert-sender.ts';
import { openAlertSenders, type AlertSettings } from './alert-channels.ts';

/** An ending process waits no longer for its last alerts. */
const LAST_ALERTS = 10 * Second;

export interface Alerts {
  /** For a process that is about to end itself: records what was raised, or sends it where that fails. */
  readonly settle: () => Promise<void>;
  /** Records what was raised and ends the sending. Both within ten seconds. */
  readonly stop: () => Promise<void>;
}

/** The rounds of each way, which don't wait for the other's: a mail server that hangs holds up no post. */
function makeRounds(services: SenderServices, signal: AbortSignal) {
  const running = new Map<AlertChannel, Promise<void>>();

  return {
    /** Begins a round of each way whose last one has ended. */
    begin: (send: SendRound) => {
      for (const channel of alertChannels) {
        if (running.has(channel)) continue;
        const round = send(services, channel, signal).finally(() => running.delete(channel));
        running.set(channel, round);
      }
    },
    ended: () => Promise.all(running.values()),
  };
}

/**
 * Records every alert of this process, and sends those of all processes to ALERT_EMAIL and ALERT_URL: of
 * any number of workers one sends each, at most once an hour. Nothing here throws into what raises an
 * alert, or makes it wait. What can't be recorded, because PostgreSQL is what fails, is sent by the
 * process that raised it.
 */
export function startAlerts(
  settings: AlertSettings,
  { database, logger, timings }: {
    readonly database: Database;
    readonly logger: Logger;
    readonly timings: Pick<Timings, 'alerts' | 'lease' | 'attempt' | 'backOff' | 'smtp'>;
  },
): Alerts {
  const recorder = startAlertRecorder(database, logger);
  const { ways, close } = openAlertSenders(settings, timings.smtp, logger);
  const services = { database, recorder, ways, timings, logger };
  const stop = new AbortController();
  const { signal } = stop;
  const rounds = makeRounds(services, signal);
  const pause = (ms: number) => wait(ms, undefined, { signal }).catch(() => undefined);

  const loop = async () => {
    for (;;) {
      await pause(timings.alerts.sendEvery);
      if (signal.aborted) return rounds.ended();
      rounds.begin((await recorder.flush()) ? sendRecordedAlerts : sendPendingAlerts);
    }
  };
  const ended = loop();
  const withinLimit = async (work: Promise<unknown>) => {
    const limit = new AbortController();
    await Promise.race([work, wait(LAST_ALERTS, undefined, { signal: limit.signal })]);
    limit.abort();
  };

  const settle = async () => {
    if (await recorder.flush()) return;
    const last = AbortSignal.timeout(LAST_ALERTS);
    await Promise.all(alertChannels.map((channel) => sendPendingAlerts(services, channel, last)));
  };

  return {
    settle: () => withinLimit(settle()),
    stop: async () => {
      stop.abort();
      await withinLimit(Promise.all([ended, recorder.stop()]));
      await close();
    },
  };
}
