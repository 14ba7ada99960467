/** Durations in milliseconds: write `24 * Hour`, never a bare number. */
export const Second = 1000;
export const Minute = 60 * Second;
export const Hour = 60 * Minute;
export const Day = 24 * Hour;

/** Formats a time in UTC for sortable file names: `20261121T030000000Z`. */
export const formatFileTime = (time: Date): string => time.toISOString().replaceAll(/[-:.]/g, '');

/** Parses the format of `formatFileTime`. */
export const parseFileTime = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** Returns whether a time is so far in the future that the clock it came from must have been wrong. */
export const isFarInFuture = (time: Date, now: Date): boolean => time.getTime() - now.getTime() > Hour;

/** Returns whether a time is within the last `ms`. Times from a clock that was ahead don't count. */
export const isRecent = (time: Date, ms: number, now: Date): boolean =>
  !isFarInFuture(time, now) && now.getTime() - time.getTime() <= ms;

/** Sorts newest first. Items from a clock that was ahead are last. Otherwise they would stay the newest. */
export const sortNewestFirst = <Item>(items: readonly Item[], getTime: (item: Item) => Date, now: Date): readonly Item[] =>
  items.toSorted(
    (one, other) =>
      Number(isFarInFuture(getTime(one), now)) - Number(isFarInFuture(getTime(other), now)) ||
      getTime(other).getTime() - getTime(one).getTime(),
  );

/** Returns whether `YYYY-MM-DD` exists. `Date` would read February 30 as March 2. */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);

  return !Number.isNaN(time) && new Date(time).toISOString().split('T')[0] === text;
}

/** Returns the day `days` later: `2026-03-01` for `2026-02-28` and 1. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * Day).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** Like `isCalendarDay`, for the day in an ISO 8601 time. */
export const isOnCalendarDay = (time: string): boolean =>
  isCalendarDay(time.slice(0, 'YYYY-MM-DD'.length));

/** Returns the day of a time in a given zone: `2026-11-21`. The Swedish locale uses ISO 8601. */
export const formatDay = (time: Date | number, timeZone: string): string =>
  new Date(time).toLocaleDateString('sv-SE', { timeZone });
