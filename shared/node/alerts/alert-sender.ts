import { alerts, type AlertName } from './alert-list.ts';
import type { AlertRecorder, PendingAlert } from './alert-recorder.ts';
import {
  claimAlert,
  markAlertSent,
  postponeAlert,
  type AlertChannel,
} from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { Hour } from '../../time.ts';
import { computeBackoff } from '../config/timings.ts';
import { toDeliveryError } from '../deliveries/delivery-error.ts';
import type { Timings } from '../config/timings.ts';
import type { AlertNotice } from './alert-notice.ts';

/** Least time between two notices of one alert. */
const INTERVAL = 1 * Hour;

/** An alert that could not be sent for so long after it was last raised is given up. */
const MAX_AGE = 72 * Hour;

/**
 * Hands a notice over.
 * @param key the same at every try of the same notice
 * @throws DeliveryError
 */
export type SendNotice = (notice: AlertNotice, key: string, signal: AbortSignal) => Promise<void>;

/** Those that are configured. */
export type AlertSenders = Readonly<Partial<Record<AlertChannel, SendNotice>>>;

export interface SenderServices {
  readonly database: Database;
  readonly recorder: AlertRecorder;
  readonly ways: AlertSenders;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff'>;
  readonly logger: Logger;
}

/** A way to send, and until when. */
interface Turn {
  readonly channel: AlertChannel;
  readonly send: SendNotice;
  readonly signal: AbortSignal;
}

/** A failure is a warning and never an alert, which would be about itself without end. */
async function trySend(
  { timings, logger }: SenderServices,
  { channel, send, signal }: Turn,
  notice: AlertNotice,
  key: string,
): Promise<boolean> {
  const details = { raised: notice.name, channel };
  try {
    await send(notice, key, AbortSignal.any([signal, AbortSignal.timeout(timings.attempt)]));
    logger.info(details, 'An alert was sent.');

    return true;
  } catch (error) {
    const { reason, cause } = toDeliveryError(error);
    logger.warn({ ...details, reason, err: cause }, 'An alert could not be sent and is tried again.');

    return false;
  }
}

/** Tries each alert once: one whose back-off ends meanwhile waits for the next round, or a round might never end. */
async function sendRecorded(services: SenderServices, turn: Turn): Promise<void> {
  const { database, recorder, timings } = services;
  const { channel, signal } = turn;
  const limits = { lease: timings.lease, interval: INTERVAL, maxAge: MAX_AGE };
  const tried = new Set<AlertName>();

  while (!signal.aborted) {
    const claimed = await claimAlert(database, channel, limits, tried);
    if (!claimed) return;
    const { name, attempts } = claimed;
    tried.add(name);
    const key = `alert-${name}-${(claimed.sentAt ?? claimed.firstRaisedAt).getTime()}`;
    if (await trySend(services, turn, { ...alerts[name], ...claimed }, key)) {
      recorder.noteSent(name, channel, 0);
      await markAlertSent(database, channel, claimed);
    } else {
      const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
      await postponeAlert(database, channel, name, delayMs);
    }
  }
}

function toNotice({ firstAt, lastAt, unsent, ...facts }: PendingAlert, channel: AlertChannel): AlertNotice {
  const toDate = (at: number) => new Date(Date.now() - (performance.now() - at));

  return {
    ...alerts[facts.name],
    ...facts,
    firstRaisedAt: toDate(firstAt),
    lastRaisedAt: toDate(lastAt),
    count: unsent[channel],
  };
}

async function sendPending(services: SenderServices, turn: Turn): Promise<void> {
  const { recorder } = services;
  const { channel } = turn;
  const isDue = ({ name, unsent }: PendingAlert) =>
    unsent[channel] > 0 && (recorder.getSentMsAgo(name, channel) ?? INTERVAL) >= INTERVAL;

  for (const { name } of recorder.listPending()) {
    if (turn.signal.aborted) return;
    // Looked up anew: what was recorded while another was tried is sent from the table.
    const alert = recorder.listPending().find((pending) => pending.name === name);
    if (!alert || !isDue(alert)) continue;
    const notice = toNotice(alert, channel);
    const key = `alert-${alert.name}-${notice.firstRaisedAt.getTime()}-${process.pid}`;
    if (await trySend(services, turn, notice, key)) {
      recorder.noteSent(alert.name, channel, notice.count);
    }
  }
}

/** Sends by one way what is due, each alert at most once; never throws. */
export type SendRound = (
  services: SenderServices,
  channel: AlertChannel,
  signal: AbortSignal,
) => Promise<void>;

const makeRound =
  (sendBy: (services: SenderServices, turn: Turn) => Promise<void>): SendRound =>
  async (services, channel, signal) => {
    const send = services.ways[channel];
    if (!send) return;

    try {
      await sendBy(services, { channel, send, signal });
    } catch (error) {
      services.logger.warn({ err: error }, 'Alerts could not be read.');
    }
  };

/** Sends what all processes have recorded and nobody has been told for an hour. */
export const sendRecordedAlerts = makeRound(sendRecorded);

/** Sends what this process has raised and could not record, past PostgreSQL, each at most once an hour. */
export const sendPendingAlerts = makeRound(sendPending);
