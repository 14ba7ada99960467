import { Second } from '../../time.ts';
import type { Database } from '../database/database.ts';
import type { Logger } from '../logging/logger.ts';
import type { AlertName } from '../logging/alert-list.ts';
import { alertChannels, recordAlerts, type AlertChannel, type AlertRecord } from './alert-store.ts';
import { subscribeToAlerts, type AlertDetails, type RaisedAlert } from '../logging/raised-alerts.ts';

const FLUSH_AFTER = 1 * Second;
const RETRY_AFTER = 30 * Second;

/** An alert that was raised in this process and is not in the table yet. */
export interface UnrecordedAlert {
  readonly name: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
  /** By the clock of `performance.now()`. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Occurrences that were not sent. */
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

/** Writes the alerts of this process to the table, from where a worker sends them. */
export type AlertRecorder = ReturnType<typeof startAlertRecorder>;

/** Alerts that are raised and not written; bounded by the number of names. */
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
  /** By the clock of `performance.now()`. */
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

/** Writes what is pending to the table; what can't be written stays pending. */
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

/** Collects this process's alerts and writes them a second later; while PostgreSQL is away they wait in memory. */
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
    /** Writes at once; false when that is not possible now. Never throws. */
    flush,
    listUnrecorded: pending.list,
    /** Records that `count` occurrences were sent; the next flush writes it to the table. */
    recordSent: (name: AlertName, channel: AlertChannel, count: number) => {
      sent.record(name, channel);
      pending.subtract(name, channel, count);
    },
    /** Milliseconds since this process sent an alert; null when it has not. */
    getSentMsAgo: sent.getMsAgo,
    stop: async () => {
      unsubscribe();
      await flush();
      clearTimeout(timer);
    },
  };
}
