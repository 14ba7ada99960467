/** Durations in milliseconds: write `24 * Hour`, never a bare number. */
export const Second = 1000;
export const Minute = 60 * Second;
export const Hour = 60 * Minute;
export const Day = 24 * Hour;

/** A time in UTC as names of files have it, by which they sort: `20261121T030000000Z`. */
export const formatFileTime = (time: Date): string => time.toISOString().replaceAll(/[-:.]/g, '');

/** Reads what `formatFileTime` writes. */
export const parseFileTime = (text: string): Date =>
  new Date(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/, '$1-$2-$3T$4:$5:$6.$7Z'));

/** Whether a time is of a clock that was wrong: further ahead of now than two clocks differ. */
export const isAhead = (time: Date, now: Date): boolean => time.getTime() - now.getTime() > Hour;

/** Whether a time lies in the last `ms`; one of a clock that was ahead says nothing. */
export const isRecent = (time: Date, ms: number, now: Date): boolean =>
  !isAhead(time, now) && now.getTime() - time.getTime() <= ms;

/**
 * Sorts the newest first. Those of a clock that was ahead come last: they were made before all that have the right
 * time, and would else be the newest until then.
 */
export const sortNewestFirst = <Item>(items: readonly Item[], getTime: (item: Item) => Date, now: Date): readonly Item[] =>
  items.toSorted(
    (one, other) =>
      Number(isAhead(getTime(one), now)) - Number(isAhead(getTime(other), now)) ||
      getTime(other).getTime() - getTime(one).getTime(),
  );

/** Whether `YYYY-MM-DD` is a day of the calendar: `Date` alone takes 30 February for 2 March. */
export function isCalendarDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);

  return !Number.isNaN(time) && new Date(time).toISOString().split('T')[0] === text;
}

/** The day some days after one, or before it: `2026-02-28` and 1 → `2026-03-01`. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * Day).toISOString().slice(0, 'YYYY-MM-DD'.length);

/** As `isCalendarDay`, of the day a time in ISO 8601 begins with. */
export const isOnCalendarDay = (time: string): boolean =>
  isCalendarDay(time.slice(0, 'YYYY-MM-DD'.length));

/** The day of a time in a zone, as `2026-11-21`; Swedish dates have the format of ISO 8601. */
export const formatDay = (time: Date | number, timeZone: string): string =>
  new Date(time).toLocaleDateString('sv-SE', { timeZone });
