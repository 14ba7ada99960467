import { InvalidArgumentError } from 'commander';
import * as v from 'valibot';
import { isCalendarDay, isOnCalendarDay } from '../../shared/time.ts';
import { count, duration } from '../../shared/node/config/setting-types.ts';

/* Parsers for arguments and options. Each throws commander's InvalidArgumentError. */

const uuid = v.pipe(v.string(), v.toLowerCase(), v.uuid());

/** Reads the id of a request or delivery. */
export function readId(text: string): string {
  const result = v.safeParse(uuid, text);
  if (!result.success) throw new InvalidArgumentError('It must be an id (a UUID).');

  return result.output;
}

/** Reads another id and appends it to the others. */
export function readIds(text: string, others: readonly string[] = []): readonly string[] {
  return [...others, readId(text)];
}

/** Reads an email address. Checks only its rough shape, because it is only used to select rows. */
export function readEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+$/.test(text)) throw new InvalidArgumentError('It must be an email address.');

  return text;
}

/** Reads the maximum number of rows to list: 1 to 100,000. */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100_000) {
    throw new InvalidArgumentError('It must be a number from 1 to 100000.');
  }

  return limit;
}

/** Reads a whole number in the same form as settings such as BACKUP_KEEP. */
export function readCount(text: string): number {
  const result = v.safeParse(count, text);
  if (!result.success) throw new InvalidArgumentError(`It ${result.issues[0].message}.`);

  return result.output;
}

/** Reads a day: `2026-11-01`. */
export function readDay(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || !isCalendarDay(text)) {
    throw new InvalidArgumentError('It must be a date like 2026-11-01.');
  }

  return text;
}

/** Reads a time (`2026-11-01`, `2026-11-01T09:00Z`), or an age (`7d`, `12h`). */
export function readSince(text: string): Date {
  const ago = v.safeParse(duration, text);
  const time = ago.success ? new Date(Date.now() - ago.output) : new Date(text);
  if (Number.isNaN(time.getTime()) || (!ago.success && !isOnCalendarDay(text))) {
    throw new InvalidArgumentError('It must be a date like 2026-11-01, or an age like 7d.');
  }

  return time;
}
