import { Temporal } from 'temporal-polyfill';
import { NoOpenTimeError, type BusinessCalendar } from './business-calendar.ts';

/** When a morning begins where there are no business hours, by the clock on the wall. */
const MORNING = '09:00';

/** The first morning after a time: when business opens, or 9:00 without business hours. */
export function findNextMorning(now: Date, timeZone: string, calendar: BusinessCalendar | undefined): Date {
  const toZoned = (time: number) => Temporal.Instant.fromEpochMilliseconds(time).toZonedDateTimeISO(timeZone);
  const today = toZoned(now.getTime()).toPlainDate();
  if (!calendar) {
    const mornings = [today, today.add({ days: 1 })].map(
      (day) => day.toZonedDateTime({ timeZone, plainTime: MORNING }).epochMilliseconds,
    );

    return new Date(Math.min(...mornings.filter((morning) => morning > now.getTime())));
  }
  let last = '';
  for (const { start } of calendar.listOpenSpans(today.toZonedDateTime(timeZone).epochMilliseconds)) {
    const day = toZoned(start).toPlainDate().toString();
    if (day !== last && start > now.getTime()) return new Date(start);
    last = day;
  }
  throw new NoOpenTimeError();
}
