import { isOver, nowPlusMs, type Database } from '../database/database.ts';
import type { Deferral } from '../mail/mailer.ts';
import { Hour } from '../../time.ts';
import { alerts, type AlertName } from '../logging/alert-list.ts';
import type { AlertDetails, RaisedAlert } from '../logging/raised-alerts.ts';

/** `mail` is ALERT_EMAIL, and `post` is ALERT_URL. */
export const alertChannels = ['mail', 'post'] as const;
export type AlertChannel = (typeof alertChannels)[number];

export interface AlertRecord extends RaisedAlert {
  readonly channel: AlertChannel;
  /** Number of occurrences not sent yet. */
  readonly count: number;
  /** Milliseconds since the first and the last occurrence. */
  readonly firstMsAgo: number;
  readonly lastMsAgo: number;
  /** Milliseconds since this process sent it, or null. */
  readonly sentMsAgo: number | null;
}

/** An alert that is raised again after this long counts as new. */
const NEW_AFTER = '1 day';

/** Adds occurrences and send times to the table. Several processes may do this concurrently. */
export async function recordAlerts(
  database: Database,
  records: readonly AlertRecord[],
): Promise<void> {
  await database.raw(
    `insert into alerts as known
       (name, channel, message, details, first_raised_at, last_raised_at, count, sent_at)
     select name, channel, message, details,
       now() - "firstMsAgo" * interval '1 ms', now() - "lastMsAgo" * interval '1 ms', count,
       now() - "sentMsAgo" * interval '1 ms'
     from jsonb_to_recordset(?::jsonb) as raised (
       name text, channel text, message text, details jsonb, count integer,
       "firstMsAgo" float8, "lastMsAgo" float8, "sentMsAgo" float8
     )
     -- Using the same order in every process prevents deadlocks.
     order by name, channel
     on conflict (name, channel) do update set
       message = excluded.message,
       details = excluded.details,
       first_raised_at = case
         when known.last_raised_at < excluded.first_raised_at - interval '${NEW_AFTER}'
         then excluded.first_raised_at
         else least(known.first_raised_at, excluded.first_raised_at)
       end,
       last_raised_at = greatest(known.last_raised_at, excluded.last_raised_at),
       count = known.count + excluded.count,
       sent_at = greatest(known.sent_at, excluded.sent_at)`,
    [JSON.stringify(records)],
  );
}

/** An alert that only this process may send until its lease expires. */
interface ClaimedAlert {
  readonly name: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
  readonly firstRaisedAt: Date;
  readonly lastRaisedAt: Date;
  /** Number of occurrences since the last notice. For deferred recipients, the number in the last notice. */
  readonly count: number;
  /** Recipients that deferred the last notice while others accepted it. Null means all recipients. */
  readonly recipients: readonly string[] | null;
  /** When it was last sent. */
  readonly sentAt: Date | null;
  readonly attempts: number;
}

/** Minimum time between two notices of one alert. */
export const NOTICE_INTERVAL = 1 * Hour;

/** Alerts last raised longer ago than this are not sent. */
const MAX_AGE = 72 * Hour;

/** SQL condition: the alert is due for all recipients. Ignores a `sent_at` in the future (set by a wrong clock). */
const IS_DUE = 'count > 0 and (sent_at is null or sent_at <= :sentBefore or sent_at > now())';

/** Claims an alert of `channel` that is due or has deferred recipients, for `leaseMs`. Skips the names in `except`. */
export async function claimAlert(
  database: Database,
  channel: AlertChannel,
  leaseMs: number,
  except: ReadonlySet<string>,
): Promise<ClaimedAlert | undefined> {
  const { rows } = await database.raw<{ rows: ClaimedAlert[] }>(
    `update alerts set attempts = attempts + 1, lease_until = :leaseUntil,
       recipients = case when ${IS_DUE} then null else recipients end
     where channel = :channel and name = (
       select name from alerts
       -- A newer version may have recorded names that this one doesn't know.
       where channel = :channel and name = any(:names::text[])
         and last_raised_at > :raisedAfter
         and (${IS_DUE} or recipients is not null)
         and (lease_until is null or ${isOver('lease_until')})
       order by last_raised_at desc limit 1
       for update skip locked
     )
     returning name, message, details, first_raised_at as "firstRaisedAt",
       last_raised_at as "lastRaisedAt", case when recipients is null then count else sent_count end as count,
       recipients, sent_at as "sentAt", attempts`,
    {
      channel,
      leaseUntil: nowPlusMs(database, leaseMs),
      names: Object.keys(alerts).filter((name) => !except.has(name)),
      raisedAfter: nowPlusMs(database, -MAX_AGE),
      sentBefore: nowPlusMs(database, -NOTICE_INTERVAL),
    },
  );

  return rows[0];
}

/** Records that the claimed occurrences were sent to all of the claim's recipients except the deferred ones. */
export async function recordAlertSent(
  database: Database,
  channel: AlertChannel,
  { name, count, recipients, attempts }: ClaimedAlert,
  deferral?: Deferral,
): Promise<void> {
  await database('alerts')
    .where({ name, channel })
    .update({
      ...(recipients === null && {
        sent_at: database.fn.now(),
        count: database.raw('greatest(count - ?, 0)', [count]),
        sent_count: count,
      }),
      recipients: deferral ? [...deferral.recipients] : null,
      attempts: deferral ? attempts : 0,
      lease_until: deferral ? nowPlusMs(database, deferral.delayMs) : null,
    });
}

/** Returns the alerts raised within the last `ms` milliseconds, each with the last check that raised it. */
export async function listRaisedWithin(database: Database, ms: number): Promise<ReadonlyMap<string, string | null>> {
  const rows = await database('alerts')
    .where('last_raised_at', '>', nowPlusMs(database, -ms))
    .select<Array<{ name: string; check: string | null }>>('name', database.raw(`details ->> 'check' as "check"`));

  return new Map(rows.map(({ name, check }) => [name, check]));
}

/** Schedules another attempt in `delayMs`, unless another process has claimed the alert since. */
export async function rescheduleAlert(
  database: Database,
  channel: AlertChannel,
  { name, attempts }: ClaimedAlert,
  delayMs: number,
): Promise<void> {
  await database('alerts')
    .where({ name, channel, attempts })
    .update({ lease_until: nowPlusMs(database, delayMs) });
}
