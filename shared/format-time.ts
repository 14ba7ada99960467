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
} as const satisfies Record<string, Intl.DateTimeFormatOptions>;

/** By form and zone: making one takes a hundred times as long as using it. */
const formatters = new Map<string, Intl.DateTimeFormat>();

function getFormatter(timeZone: string, form: keyof typeof forms): Intl.DateTimeFormat {
  const key = `${form} ${timeZone}`;
  const formatter =
    formatters.get(key) ?? new Intl.DateTimeFormat('en-US', { ...forms[form], timeZone });
  formatters.set(key, formatter);

  return formatter;
}

/**
 * `Friday, January 31, 2025 at 9:30 AM UTC`, in short `Fri, Jan 31, 2025, 9:30 AM UTC`; elsewhere with
 * the zone's name, since `GMT+1` is the time of many: `… 10:30 AM GMT+1 (Europe/Vienna)`.
 */
export function formatTime(
  time: Date,
  timeZone: string,
  form: keyof typeof forms = 'long',
): string {
  const text = getFormatter(timeZone, form)
    .format(time)
    // Some versions of the locale data put a narrow space before AM and PM.
    .replace(/\s/g, ' ');

  return timeZone === 'UTC' ? text : `${text} (${timeZone})`;
}
