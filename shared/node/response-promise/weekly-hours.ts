/** A range within a day, in minutes after local midnight. `to` is at most 24:00. */
interface DayRange {
  readonly from: number;
  readonly to: number;
}

/** Business hours for the seven days of the week, Monday first. A day's ranges are in order and don't overlap. */
export type WeeklyHours = ReadonlyArray<readonly DayRange[]>;

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MINUTES_OF_DAY = 24 * 60;
const FORM = 'must be like Mon-Fri 09:00-17:00 or Mon-Thu 08:00-18:00, Fri 08:00-15:00';

/** An item such as `Mon-Fri 09:00-17:00`. Also accepts the en dashes that `describeWeeklyHours` writes. */
const ITEM = /^([a-z]{3})(?:\s*[-–]\s*([a-z]{3}))?\s+(\d{1,2}(?::\d{2})?)\s*[-–]\s*(\d{1,2}(?::\d{2})?)$/i;

/** `error` completes a sentence that starts with the setting's name. */
type ParsedHours = { readonly hours: WeeklyHours } | { readonly error: string };

/** Returns a day's index from its short name, ignoring case. Monday is 0. Returns -1 for unknown names. */
export function findDay(name: string): number {
  return DAYS.findIndex((day) => day.toLowerCase() === name.toLowerCase());
}

/** Parses `9`, `09:30` or `24:00`. Returns minutes after midnight, or NaN if the text is not a time of day. */
export function parseMinutes(text: string): number {
  const [hours = Number.NaN, minutes = 0] = text.split(':').map(Number);
  const time = hours * 60 + minutes;

  return minutes < 60 && time <= MINUTES_OF_DAY ? time : Number.NaN;
}

/** Lists the days from `first` to `last`, wrapping around the end of the week if necessary (`Sun-Thu`). */
function listDays(first: number, last: number): number[] {
  const count = ((last - first + DAYS.length) % DAYS.length) + 1;

  return Array.from({ length: count }, (_, index) => (first + index) % DAYS.length);
}

interface ParsedItem extends DayRange {
  readonly days: readonly number[];
}

function parseItem(item: string): ParsedItem | undefined {
  const [, firstName = '', lastName = firstName, fromText = '', toText = ''] = ITEM.exec(item) ?? [];
  const [first, last] = [findDay(firstName), findDay(lastName)];
  const [from, to] = [parseMinutes(fromText), parseMinutes(toText)];
  const isParsed = first >= 0 && last >= 0 && !Number.isNaN(from) && !Number.isNaN(to);

  return isParsed ? { days: listDays(first, last), from, to } : undefined;
}

/** Parses BUSINESS_HOURS: comma-separated items, each with days and a time range. */
export function parseWeeklyHours(text: string): ParsedHours {
  const week: DayRange[][] = DAYS.map(() => []);
  for (const item of text.split(',')) {
    const parsed = parseItem(item.trim());
    if (!parsed) return { error: FORM };
    const { days, from, to } = parsed;
    if (from >= to) {
      return {
        error: `must have times that end after they begin, not ${item.trim()}; past midnight is Fri 22:00-24:00, Sat 00:00-02:00`,
      };
    }
    for (const day of days) week[day]?.push({ from, to });
  }

  for (const [day, ranges] of week.entries()) {
    ranges.sort((one, other) => one.from - other.from);
    if (ranges.some(({ to }, index) => to > (ranges[index + 1]?.from ?? MINUTES_OF_DAY))) {
      return { error: `must not have ranges that overlap, as on ${DAYS[day]}` };
    }
  }

  return { hours: week };
}

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Formats minutes after midnight: `09:30`. */
export const formatMinutes = (minutes: number) =>
  `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;

const formatRanges = (ranges: readonly DayRange[]) =>
  ranges.map(({ from, to }) => `${formatMinutes(from)}–${formatMinutes(to)}`).join(' and ');

/** Formats the hours for people: `Mon–Thu 08:00–18:00, Fri 08:00–12:00 and 13:00–15:00`. */
export function describeWeeklyHours(week: WeeklyHours): string {
  const texts = week.map(formatRanges);
  const at = (day: number) => texts[day % DAYS.length] ?? '';
  const name = (day: number) => DAYS[day % DAYS.length];
  if (texts.every((text) => text === at(0))) return `Mon–Sun ${at(0)}`;

  return texts
    .flatMap((text, first) => {
      // A day with the same hours as the previous day joins its group. Sunday precedes Monday.
      if (text === '' || text === at(first + DAYS.length - 1)) return [];
      let last = first;
      while (at(last + 1) === text) last += 1;
      const days = last === first ? name(first) : `${name(first)}–${name(last)}`;

      return [`${days} ${text}`];
    })
    .join(', ');
}
