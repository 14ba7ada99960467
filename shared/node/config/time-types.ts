import * as v from 'valibot';
import { Day, Minute } from '../../time.ts';
import { parseWeeklyHours, type WeeklyHours } from '../response-promise/weekly-hours.ts';

/** `8`, `08` or `08:30` → minutes after midnight. */
function parseTimeOfDay(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);

  return hours * 60 + minutes;
}

/** `21, 3:30` → `03:30` and `21:00`. */
export const timesOfDay = v.pipe(
  v.string(),
  v.regex(/^ *(?:[01]?\d|2[0-3])(?::[0-5]\d)?(?: *, *(?:[01]?\d|2[0-3])(?::[0-5]\d)?)* *$/, 'must be times of day like 03:00,15:00'),
  v.transform((value) => {
    const times = value.split(',').map((time) => {
      const [hours = '', minutes = '00'] = time.trim().split(':');

      return `${hours.padStart(2, '0')}:${minutes}`;
    });

    return [...new Set(times)].sort();
  }),
);

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** `Mon 08:00` → minutes after the midnight before Monday. */
export const timeOfWeek = v.pipe(
  v.string(),
  v.regex(
    /^(?:mon|tue|wed|thu|fri|sat|sun) +(?:[01]?\d|2[0-3])(?::[0-5]\d)?$/i,
    'must be a day and a time like Mon 08:00',
  ),
  v.transform((value) => {
    const [day = '', time = ''] = value.split(/ +/);

    return (WEEKDAYS.indexOf(day.toLowerCase()) * Day) / Minute + parseTimeOfDay(time);
  }),
);

/** A time zone's name with a place, or UTC: PostgreSQL reads offsets reversed, and abbreviations its own way. */
export const timeZone = v.pipe(
  v.string(),
  v.regex(/^(?:UTC|GMT|[a-z]+\/.+)$/i, 'must be a time zone like Europe/Vienna'),
  v.check((value) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
    } catch {
      return false;
    }
  }, 'must be a time zone like Europe/Vienna'),
);

/** `Mon-Thu 08:00-18:00, Fri 08:00-15:00`. */
export const businessHours = v.pipe(
  v.string(),
  v.rawTransform<string, WeeklyHours>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseWeeklyHours(dataset.value);
    if ('hours' in parsed) return parsed.hours;
    addIssue({ message: parsed.error });

    return NEVER;
  }),
);
