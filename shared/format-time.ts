const forms = {
  long: {
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
  short: {
    weekday: 'short',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  },
  day: { month: 'short', day: 'numeric' },
  ofDay: { hour: 'numeric', minute: '2-digit' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** Cached by format, zone and locale, because creating a formatter takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function getFormatter(timeZone: string, form: keyof typeof forms, locale: string): Intl.DateTimeFormat {
  const key = `${form} ${timeZone} ${locale}`;
  const formatter =
    formatters.get(key) ?? new Intl.DateTimeFormat(locale, { ...forms[form], timeZone });
  formatters.set(key, formatter);

  return formatter;
}

function write(time: Date, timeZone: string, form: keyof typeof forms, locale = 'en-US'): string {
  const text = getFormatter(timeZone, form, locale).format(time);

  // Some ICU versions put a narrow space before AM and PM.
  return text.replace(/\s/g, ' ');
}

/**
 * Formats a time: `Friday, January 31, 2025 at 9:30 AM UTC`, or, if short, `Fri, Jan 31, 2025, 9:30 AM UTC`. Other
 * zones are named, because several share an offset: `… 10:30 AM GMT+1 (Europe/Vienna)`.
 */
export function formatTime(
  time: Date,
  timeZone: string,
  form: 'long' | 'short' = 'long',
  locale?: string,
): string {
  const text = write(time, timeZone, form, locale);

  return timeZone === 'UTC' ? text : `${text} (${timeZone})`;
}

/** Formats the month and day: `Nov 12`. */
export const formatMonthDay = (time: Date, timeZone: string): string => write(time, timeZone, 'day');

/** Formats a time of day: `9:00 AM UTC`, `9:00 AM (Europe/Vienna)`. */
export const formatTimeOfDay = (time: Date, timeZone: string): string =>
  `${write(time, timeZone, 'ofDay')} ${timeZone === 'UTC' ? timeZone : `(${timeZone})`}`;
