let dateFormat: Intl.DateTimeFormat | undefined;

/**
 * The same words on the server and in every browser, whatever its time zone. Made when the first day
 * is written: that takes a browser longer than the rest of a page's scripts together.
 */
function formatDay(date: string): string {
  dateFormat ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

  return dateFormat.format(new Date(date));
}

/** A day of the calendar in words. @param date `YYYY-MM-DD` */
export function Day({ date }: { date: string }) {
  return <time dateTime={date}>{formatDay(date)}</time>;
}
