import { alerts, type AlertName } from '../logging/alert-list.ts';
import type { AlertRecorder, UnrecordedAlert } from './alert-recorder.ts';
import { claimAlert, NOTICE_INTERVAL, recordAlertSent, rescheduleAlert, type AlertChannel } from './alert-store.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import { computeBackoff, type Timings } from '../config/timings.ts';
import { toDeliveryError } from '../outbound/delivery-error.ts';
import type { AlertNotice } from './alert-channels.ts';

interface NoticeEnvelope {
  /** The same for every attempt to send the notice. */
  readonly key: string;
  /** Addresses that receive the notice. Null means all. */
  readonly recipients: readonly string[] | null;
}

/** Sends a notice and returns the addresses that deferred it. @throws DeliveryError */
export type SendNotice = (
  notice: AlertNotice,
  envelope: NoticeEnvelope,
  signal: AbortSignal,
) => Promise<readonly string[]>;

export interface SenderServices {
  readonly database: Database;
  readonly recorder: AlertRecorder;
  readonly timings: Pick<Timings, 'lease' | 'attempt' | 'backOff'>;
  readonly logger: Logger;
}

/** One pass over a channel's due alerts. Each is tried once. */
export interface AlertRound {
  readonly channel: AlertChannel;
  readonly send: SendNotice;
  readonly signal: AbortSignal;
}

/** Returns the addresses that deferred the notice, or undefined if it failed. Logs failures without raising alerts. */
async function trySend(
  { timings, logger }: SenderServices,
  { channel, send, signal }: AlertRound,
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
      logger.warn({ ...details, reason, err: cause }, 'A recipient of an alert refused it permanently.');

      return [];
    }
    logger.warn({ ...details, reason, err: cause }, 'An alert could not be sent and will be retried.');

    return undefined;
  }
}

/** Sends the alerts recorded by all processes, except those sent within the last hour. Tries each one once. */
export async function sendRecordedAlerts(services: SenderServices, round: AlertRound): Promise<void> {
  const { database, recorder, timings, logger } = services;
  const { channel, signal } = round;
  const tried = new Set<AlertName>();

  while (!signal.aborted) {
    const claimed = await claimAlert(database, channel, timings.lease, tried);
    if (!claimed) return;
    const { name, attempts, recipients } = claimed;
    tried.add(name);
    // Without this suffix, the next notice to all recipients would have the same key.
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
        'Some recipients refused an alert temporarily. It will be retried for them.',
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

/** Sends alerts that this process could not record in PostgreSQL, each at most once an hour. */
export async function sendUnrecordedAlerts(services: SenderServices, round: AlertRound): Promise<void> {
  const { recorder } = services;
  const { channel } = round;
  const isDue = ({ name, unsent }: UnrecordedAlert) =>
    unsent[channel] > 0 && (recorder.getSentMsAgo(name, channel) ?? NOTICE_INTERVAL) >= NOTICE_INTERVAL;

  for (const { name } of recorder.listUnrecorded()) {
    if (round.signal.aborted) return;
    // Look it up again, because it may have been recorded while the previous alert was being sent.
    const alert = recorder.listUnrecorded().find((pending) => pending.name === name);
    if (!alert || !isDue(alert)) continue;
    const notice = toNotice(alert, channel);
    const key = `alert-${alert.name}-${notice.firstRaisedAt.getTime()}-${process.pid}`;
    const deferred = await trySend(services, round, notice, { key, recipients: null });
    if (!deferred) continue;
    recorder.recordSent(alert.name, channel, notice.count);
    if (deferred.length > 0) {
      // There is no retry, because the deferral can't be recorded.
      services.logger.warn(
        { raised: alert.name, channel, deferred: deferred.length },
        'Some recipients refused an alert temporarily. They will miss this notice.',
      );
    }
  }
}
