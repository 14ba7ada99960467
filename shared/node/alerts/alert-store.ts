import { isOver, nowPlusMs, type Database } from '../database/database.ts';
import type { Deferral } from '../mail/mailer.ts';
import { alerts, type AlertName } from '../logging/alert-list.ts';
import type { AlertDetails, RaisedAlert } from '../logging/raised-alerts.ts';

/** ALERT_EMAIL and ALERT_URL. */
export const alertChannels = ['mail', 'post'] as const;
export type AlertChannel = (typeof alertChannels)[number];

export interface AlertRecord extends RaisedAlert {
  readonly channel: AlertChannel;
  /** Times it was raised and not sent. */
  readonly count: number;
  /** Milliseconds since it was raised for the first and for the last time. */
  readonly firstMsAgo: number;
  readonly lastMsAgo: number;
  /** Milliseconds since this process sent it; null when it has not. */
  readonly sentMsAgo: number | null;
}

/** Not raised for so long, an alert counts as new. */
const NEW_AFTER = '1 day';

/** Adds to the counts, and records what was sent; several processes may do so at once. */
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
     -- The same order in every process, so that no two deadlock.
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

/** An alert that this process alone may send until its lease ends. */
interface ClaimedAlert {
  readonly name: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
  readonly firstRaisedAt: Date;
  readonly lastRaisedAt: Date;
  /** Times it was raised since it was last sent; or before, where it is for some recipients. */
  readonly count: number;
  /** Who alone is to get the last notice: they refused it for the moment, while others took it. Null: all. */
  readonly recipients: readonly string[] | null;
  /** When it was last sent; null for never. */
  readonly sentAt: Date | null;
  readonly attempts: number;
}

interface AlertLimits {
  readonly lease: number;
  readonly interval: number;
  /** An alert that was not raised for so long is not sent any more. */
  readonly maxAge: number;
}

/** Whether it is due for all recipients. A time ahead of the clock, which was set back, delays no notice. */
const IS_DUE = 'count > 0 and (sent_at is null or sent_at <= :sentBefore or sent_at > now())';

/** Claims a channel's alert that is due, or for which some recipients wait, except those names. */
export async function claimAlert(
  database: Database,
  channel: AlertChannel,
  { lease, interval, maxAge }: AlertLimits,
  except: ReadonlySet<string>,
): Promise<ClaimedAlert | undefined> {
  const { rows } = await database.raw<{ rows: ClaimedAlert[] }>(
    `update alerts set attempts = attempts + 1, lease_until = :leaseUntil,
       recipients = case when ${IS_DUE} then null else recipients end
     where channel = :channel and name = (
       select name from alerts
       -- A newer version may have recorded names unknown to this one.
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
      leaseUntil: nowPlusMs(database, lease),
      names: Object.keys(alerts).filter((name) => !except.has(name)),
      raisedAfter: nowPlusMs(database, -maxAge),
      sentBefore: nowPlusMs(database, -interval),
    },
  );

  return rows[0];
}

/** Records that the `count` occurrences were sent to all recipients, or to all of the claim's, but those deferred. */
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

/** Alerts raised within the last `ms` milliseconds, each with the last check that raised it. */
export async function listRaisedWithin(database: Database, ms: number): Promise<ReadonlyMap<string, string | null>> {
  const rows = await database('alerts')
    .where('last_raised_at', '>', nowPlusMs(database, -ms))
    .select<Array<{ name: string; check: string | null }>>('name', database.raw(`details ->> 'check' as "check"`));

  return new Map(rows.map(({ name, check }) => [name, check]));
}

/** Releases an alert for another attempt in `delayMs`, unless another process has claimed it since. */
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
