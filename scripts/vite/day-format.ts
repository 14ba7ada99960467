/** Returns a language's month names and its date pattern, such as `{month} {day}, {year}`. */
export function findDayFormat(locale: string): { months: string[]; pattern: string } {
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const split = (month: number) => format.formatToParts(Date.UTC(2026, month, 21));
  const months = Array.from({ length: 12 }, (_, month) => split(month).find(({ type }) => type === 'month')?.value ?? '');
  const pattern = split(0).map(({ type, value }) => (type === 'literal' ? value : `{${type}}`));

  return { months, pattern: pattern.join('') };
}
