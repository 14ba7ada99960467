import { alerts, type AlertName } from '../logging/alert-list.ts';
import type { AlertRecorder, UnrecordedAlert } from './alert-recorder.ts';
import {
  claimAlert,
  recordAlertSent,
  rescheduleAlert,
  type AlertChannel,
} from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { Hour } from '../../time.ts';
import { computeBackoff } from '../config/timings.ts';
import { toDeliveryError } from '../outbound/delivery-error.ts';
import type { Timings } from '../config/timings.ts';
import type { AlertNotice } from './alert-channels.ts';

/** Least time between two notices of one alert. */
const INTERVAL = 1 * Hour;

/** An alert that was last raised so long ago is not sent any more. */
const MAX_AGE = 72 * Hour;

interface NoticeEnvelope {
  /** The same at every attempt at the same notice. */
  readonly key: string;
  /** Addresses of those who alone are to get it; null for all. */
  readonly recipients: readonly string[] | null;
}

/** Sends a notice; returns the addresses that deferred it. Throws DeliveryError. */
export type SendNotice = (
  notice: AlertNotice,
  envelope: NoticeEnvelope,
  signal: AbortSignal,
) => Promise<readonly string[]>;

export type AlertSenders = Readonly<Partial<Record<AlertChannel, SendNotice>>>;

export interface SenderServices {
  readonly database: Database;
  readonly recorder: AlertRecorder;
  readonly senders: AlertSenders;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff'>;
  readonly logger: Logger;
}

interface Round {
  readonly channel: AlertChannel;
  readonly send: SendNotice;
  readonly signal: AbortSignal;
}

/** Returns who deferred the notice; undefined after a failure, which is no alert: that would repeat itself. */
async function trySend(
  { timings, logger }: SenderServices,
  { channel, send, signal }: Round,
  notice: AlertNotice,
  envelope: NoticeEnvelope,
): Promise<readonly string[] | undefined> {
  const details = { raised: notice.name, channel };
  try {
    const deferred = await send(notice, envelope, AbortSignal.any([signal, AbortSignal.timeout(timings.attempt)]));
    logger.info(details, 'An alert was sent.');

    return deferred;
  } catch (error) {
    const { reason, isRecipientRefusedForGood, cause } = toDeliveryError(error);
    if (envelope.recipients && isRecipientRefusedForGood) {
      logger.warn({ ...details, reason, err: cause }, 'A recipient of an alert goes without.');

      return [];
    }
    logger.warn({ ...details, reason, err: cause }, 'An alert could not be sent and is retried.');

    return undefined;
  }
}

/** Tries each alert once: one whose backoff ends meanwhile waits for the next round, or a round might never end. */
async function sendRecorded(services: SenderServices, round: Round): Promise<void> {
  const { database, recorder, timings, logger } = services;
  const { channel, signal } = round;
  const limits = { lease: timings.lease, interval: INTERVAL, maxAge: MAX_AGE };
  const tried = new Set<AlertName>();

  while (!signal.aborted) {
    const claimed = await claimAlert(database, channel, limits, tried);
    if (!claimed) return;
    const { name, attempts, recipients } = claimed;
    tried.add(name);
    // The next notice for all has the same time in its key.
    const ending = recipients ? '-deferred' : '';
    const key = `alert-${name}-${(claimed.sentAt ?? claimed.firstRaisedAt).getTime()}${ending}`;
    const deferred = await trySend(services, round, { ...alerts[name], ...claimed }, { key, recipients });
    const delayMs = computeBackoff(attempts, timings.backOff['follow-up']);
    if (!deferred) {
      await rescheduleAlert(database, channel, claimed, delayMs);
      continue;
    }
    if (!recipients) recorder.recordSent(name, channel, 0);
    const deferral = deferred.length > 0 ? { recipients: deferred, delayMs } : undefined;
    await recordAlertSent(database, channel, claimed, deferral);
    if (deferral) {
      logger.warn(
        { raised: name, channel, deferred: deferred.length },
        'Recipients of an alert refused it for the moment: it is tried again for them alone.',
      );
    }
  }
}

function toNotice({ firstAt, lastAt, unsent, ...alert }: UnrecordedAlert, channel: AlertChannel): AlertNotice {
  const toDate = (at: number) => new Date(Date.now() - (performance.now() - at));

  return {
    ...alerts[alert.name],
    ...alert,
    firstRaisedAt: toDate(firstAt),
    lastRaisedAt: toDate(lastAt),
    count: unsent[channel],
  };
}

async function sendUnrecorded(services: SenderServices, round: Round): Promise<void> {
  const { recorder } = services;
  const { channel } = round;
  const isDue = ({ name, unsent }: UnrecordedAlert) =>
    unsent[channel] > 0 && (recorder.getSentMsAgo(name, channel) ?? INTERVAL) >= INTERVAL;

  for (const { name } of recorder.listUnrecorded()) {
    if (round.signal.aborted) return;
    // Read again: what was recorded while another was sent is sent from the table.
    const alert = recorder.listUnrecorded().find((pending) => pending.name === name);
    if (!alert || !isDue(alert)) continue;
    const notice = toNotice(alert, channel);
    const key = `alert-${alert.name}-${notice.firstRaisedAt.getTime()}-${process.pid}`;
    const deferred = await trySend(services, round, notice, { key, recipients: null });
    if (!deferred) continue;
    recorder.recordSent(alert.name, channel, notice.count);
    if (deferred.length > 0) {
      // Nothing can be recorded now.
      services.logger.warn(
        { raised: alert.name, channel, deferred: deferred.length },
        'Recipients of an alert refused it for the moment and miss this notice.',
      );
    }
  }
}

/** Sends on one channel what is due, each alert at most once; never throws. */
export type SendRound = (
  services: SenderServices,
  channel: AlertChannel,
  signal: AbortSignal,
) => Promise<void>;

const createRound =
  (sendBy: (services: SenderServices, round: Round) => Promise<void>): SendRound =>
  async (services, channel, signal) => {
    const send = services.senders[channel];
    if (!send) return;

    try {
      await sendBy(services, { channel, send, signal });
    } catch (error) {
      services.logger.warn({ err: error }, 'Alerts could not be read.');
    }
  };

/** Sends what all processes have recorded and was not sent within the last hour. */
export const sendRecordedAlerts = createRound(sendRecorded);

/** Sends what this process has raised and could not record in PostgreSQL, each at most once an hour. */
export const sendUnrecordedAlerts = createRound(sendUnrecorded);
