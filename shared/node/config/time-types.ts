import * as v from 'valibot';
import { Day, Minute } from '../../time.ts';
import {
  findDay,
  formatMinutes,
  parseMinutes,
  parseWeeklyHours,
  type WeeklyHours,
} from '../response-promise/weekly-hours.ts';
import { splitList } from './setting-types.ts';

const TIME_OF_DAY = /^(?:[01]?\d|2[0-3])(?::[0-5]\d)?$/;
const TIMES_FORM = 'must be times of day like 03:00,15:00';

/** Times of day, sorted: `21, 3:30` becomes `03:30` and `21:00`. */
export const timesOfDay = v.pipe(
  v.string(),
  v.transform(splitList),
  v.minLength(1, TIMES_FORM),
  v.everyItem((item) => TIME_OF_DAY.test(item), TIMES_FORM),
  v.transform((items) => [...new Set(items.map((item) => formatMinutes(parseMinutes(item))))].sort()),
);

/** A time such as `Mon 08:00`, converted to minutes since the start of Monday. */
export const timeOfWeek = v.pipe(
  v.string(),
  v.transform((value) => {
    const [, day = '', time = ''] = /^(\w+) +(\S+)$/.exec(value) ?? [];

    return TIME_OF_DAY.test(time) ? (findDay(day) * Day) / Minute + parseMinutes(time) : Number.NaN;
  }),
  v.check((minutes) => minutes >= 0, 'must be a day and a time like Mon 08:00'),
);

/** `UTC`, or a zone named after a place. PostgreSQL reverses the sign of offsets and reads abbreviations differently. */
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

/** Business hours such as `Mon-Thu 08:00-18:00, Fri 08:00-15:00`. */
export const businessHours = v.pipe(
  v.string(),
  v.rawTransform<string, WeeklyHours>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseWeeklyHours(dataset.value);
    if ('hours' in parsed) return parsed.hours;
    addIssue({ message: parsed.error });

    return NEVER;
  }),
);
