import { Second } from '../../time.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertName } from '../logging/alert-list.ts';
import { alertChannels, recordAlerts, type AlertChannel, type AlertRecord } from './alert-store.ts';
import { subscribeToAlerts, type AlertDetails, type RaisedAlert } from '../logging/raised-alerts.ts';

const FLUSH_AFTER = 1 * Second;
const RETRY_AFTER = 30 * Second;

/** An alert that this process raised and hasn't written to the table yet. */
export interface UnrecordedAlert {
  readonly name: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
  /** `performance.now()` at the first and the last occurrence. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Number of occurrences not sent yet, by channel. */
  readonly unsent: Readonly<Record<AlertChannel, number>>;
}

function merge(earlier: UnrecordedAlert, later: UnrecordedAlert): UnrecordedAlert {
  return {
    ...later,
    firstAt: Math.min(earlier.firstAt, later.firstAt),
    unsent: {
      mail: earlier.unsent.mail + later.unsent.mail,
      post: earlier.unsent.post + later.unsent.post,
    },
  };
}

/** Records this process's alerts in the table. A worker sends them from there. */
export type AlertRecorder = ReturnType<typeof startAlertRecorder>;

/** Creates the list of unrecorded alerts, with one entry per name. */
function createUnrecordedAlerts() {
  const pending = new Map<AlertName, UnrecordedAlert>();
  const put = (alert: UnrecordedAlert, mergeWith: (known: UnrecordedAlert) => UnrecordedAlert) => {
    const known = pending.get(alert.name);
    pending.set(alert.name, known ? mergeWith(known) : alert);
  };

  return {
    list: () => [...pending.values()],
    raise: ({ name, message, details }: RaisedAlert) => {
      const now = performance.now();
      const once = { name, message, details, firstAt: now, lastAt: now, unsent: { mail: 1, post: 1 } };
      put(once, (known) => merge(known, once));
    },
    takeAll: () => {
      const all = [...pending.values()];
      pending.clear();

      return all;
    },
    putBack: (alert: UnrecordedAlert) => put(alert, (known) => merge(alert, known)),
    subtract: (name: AlertName, channel: AlertChannel, count: number) => {
      const known = pending.get(name);
      if (!known) return;
      const left = Math.max(0, known.unsent[channel] - count);
      pending.set(name, { ...known, unsent: { ...known.unsent, [channel]: left } });
    },
  };
}

function createSentTimes() {
  /** `performance.now()` at the last notice, by name and channel. */
  const times = new Map<string, number>();

  return {
    record: (name: AlertName, channel: AlertChannel) => {
      times.set(`${name} ${channel}`, performance.now());
    },
    getMsAgo: (name: AlertName, channel: AlertChannel): number | null => {
      const at = times.get(`${name} ${channel}`);

      return at === undefined ? null : performance.now() - at;
    },
  };
}

const toRecords = (
  { unsent, firstAt, lastAt, ...alert }: UnrecordedAlert,
  getSentMsAgo: ReturnType<typeof createSentTimes>['getMsAgo'],
): AlertRecord[] =>
  alertChannels.map((channel) => ({
    ...alert,
    channel,
    count: unsent[channel],
    firstMsAgo: performance.now() - firstAt,
    lastMsAgo: performance.now() - lastAt,
    sentMsAgo: getSentMsAgo(alert.name, channel),
  }));

/** Writes pending alerts to the table. If that fails, they stay pending. */
async function writePending(
  database: Database,
  logger: Logger,
  pending: ReturnType<typeof createUnrecordedAlerts>,
  getSentMsAgo: ReturnType<typeof createSentTimes>['getMsAgo'],
): Promise<boolean> {
  const taken = pending.takeAll();
  if (taken.length === 0) return true;

  try {
    await recordAlerts(database, taken.flatMap((alert) => toRecords(alert, getSentMsAgo)));

    return true;
  } catch (error) {
    for (const alert of taken) pending.putBack(alert);
    logger.warn({ err: error }, 'Alerts could not be recorded yet.');

    return false;
  }
}

/** Collects this process's alerts and records them a second later. Without PostgreSQL they stay in memory. */
export function startAlertRecorder(database: Database, logger: Logger) {
  const pending = createUnrecordedAlerts();
  const sent = createSentTimes();
  let timer: NodeJS.Timeout | undefined;
  let flushing = Promise.resolve(true);

  const write = async (): Promise<boolean> => {
    const isWritten = await writePending(database, logger, pending, sent.getMsAgo);
    if (!isWritten) schedule(RETRY_AFTER);

    return isWritten;
  };
  const flush = (): Promise<boolean> => {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(write);

    return flushing;
  };
  const schedule = (delay: number) => {
    timer ??= setTimeout(() => void flush(), delay).unref();
  };
  const unsubscribe = subscribeToAlerts((alert) => {
    pending.raise(alert);
    schedule(FLUSH_AFTER);
  });

  return {
    /** Records pending alerts immediately. Returns false if that fails. Never throws. */
    flush,
    listUnrecorded: pending.list,
    /** Notes that `count` occurrences were sent. The next flush records it in the table. */
    recordSent: (name: AlertName, channel: AlertChannel, count: number) => {
      sent.record(name, channel);
      pending.subtract(name, channel, count);
    },
    /** Returns how long ago this process last sent the alert, in milliseconds, or null. */
    getSentMsAgo: sent.getMsAgo,
    stop: async () => {
      unsubscribe();
      await flush();
      clearTimeout(timer);
    },
  };
}
