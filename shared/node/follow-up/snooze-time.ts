import { isOnCalendarDay } from '../../time.ts';
import type { Database, Raw } from '../database/database.ts';

/** Hour at which a reminder is sent if only a day is given. */
const SNOOZE_HOUR = 9;

/** Longest snooze. Links in mails are valid for the same time. */
export const MAX_SNOOZE_DAYS = 90;

const HOURS = /^(\d{1,3})h$/;
const DAY = /^[12]\d{3}-\d{2}-\d{2}$/;
/** A time with an optional zone, which forms omit. Rejects the year 0 and large UTC offsets, as PostgreSQL does. */
const TIME = /^[12]\d{3}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/;

/** Returns SQL for the morning of a day in a time zone. `day` is SQL for local midnight. */
const atMorning = (database: Database, day: Raw, timeZone: string): Raw =>
  database.raw(`(? + interval '${SNOOZE_HOUR} hours') at time zone ?`, [day, timeZone]);

const tomorrow = (database: Database, timeZone: string): Raw =>
  atMorning(database, database.raw(`date_trunc('day', now() at time zone ?) + interval '1 day'`, [timeZone]), timeZone);

/** Converts text to SQL for a time. Undefined if the text isn't a time. */
function toSql(database: Database, text: string, timeZone: string): Raw | undefined {
  const hours = HOURS.exec(text)?.[1];
  if (hours !== undefined) return database.raw('now() + make_interval(hours => ?::int)', [hours]);
  if (text === 'tomorrow') return tomorrow(database, timeZone);
  if (DAY.test(text) && isOnCalendarDay(text)) return atMorning(database, database.raw('?::timestamp', [text]), timeZone);
  const zone = TIME.exec(text);
  const isTime = zone && isOnCalendarDay(text) && !Number.isNaN(Date.parse(text.replace(' ', 'T')));
  if (!isTime) return undefined;

  return zone[1] === undefined
    ? database.raw('?::timestamp at time zone ?', [text, timeZone])
    : database.raw('?::timestamptz', [text]);
}

/**
 * Parses `2h`, `tomorrow` (9:00), a day (9:00) or a time, by PostgreSQL's clock. A time without a zone is read
 * in the configured zone.
 * @returns undefined if the text isn't a time, or the time is past or more than `MAX_SNOOZE_DAYS` away
 */
export async function readSnoozeTime(
  database: Database,
  text: string,
  timeZone: string,
): Promise<Date | undefined> {
  const time = toSql(database, text.trim(), timeZone);
  if (!time) return undefined;
  const { rows } = await database.raw<{ rows: Array<{ until: Date }> }>(
    `select until from (select ? as until) as chosen
    where until > now() and until < now() + make_interval(days => ${MAX_SNOOZE_DAYS})`,
    [time],
  );

  return rows[0]?.until;
}

/** The times a form offers, by PostgreSQL's clock. */
interface OfferedTimes {
  readonly now: Date;
  readonly inTwoHours: Date;
  readonly tomorrow: Date;
  /** First and last selectable day, as `YYYY-MM-DD` in the configured zone. */
  readonly firstDay: string;
  readonly lastDay: string;
}

/** Returns the times that `2h` and `tomorrow` stand for, and the range of selectable days. */
export async function readOfferedTimes(database: Database, timeZone: string): Promise<OfferedTimes> {
  const { rows } = await database.raw<{ rows: [OfferedTimes] }>(
    `select now() as now, now() + interval '2 hours' as "inTwoHours", ? as tomorrow,
      to_char((now() at time zone ?) + interval '1 day', 'YYYY-MM-DD') as "firstDay",
      to_char((now() at time zone ?) + interval '${MAX_SNOOZE_DAYS - 1} days', 'YYYY-MM-DD') as "lastDay"`,
    [tomorrow(database, timeZone), timeZone, timeZone],
  );

  return rows[0];
}
