import { readFileSync } from 'node:fs';
import { getErrorCode } from '../logging/describe-error.ts';
import { NoOpenTimeError, type TimeSpan } from '../response-promise/business-calendar.ts';
import { HolidaysError, readHolidays } from '../response-promise/holidays.ts';
import { createResponsePromise, type PromiseSettings } from '../response-promise/response-promise.ts';
import type { SettingValues } from './settings.ts';

/** Returns the holidays in HOLIDAYS_FILE. Adds an error if the file can't be used. */
function readHolidaysFile(path: string, timeZone: string, errors: string[]): TimeSpan[] {
  try {
    return readHolidays(readFileSync(path, 'utf8'), timeZone, Date.now());
  } catch (error) {
    errors.push(
      error instanceof HolidaysError
        ? `HOLIDAYS_FILE ${error.message}`
        : `HOLIDAYS_FILE can't be read (${getErrorCode(error) ?? 'unknown'})`,
    );

    return [];
  }
}

/** Adds an error if the coming years have too few open hours for the promise. */
function checkOpenTime(settings: PromiseSettings, errors: string[]): void {
  const { answer, reminder } = createResponsePromise(settings);
  for (const [name, deadline] of [['FOLLOW_UP_AFTER', answer], ['FOLLOW_UP_REMINDER_AFTER', reminder]] as const) {
    try {
      deadline.after(new Date());
    } catch (error) {
      if (!(error instanceof NoOpenTimeError)) throw error;
      errors.push(`${name} exceeds the open time in the coming years, given BUSINESS_HOURS and HOLIDAYS_FILE`);
    }
  }
}

export interface ConfiguredPromise extends PromiseSettings {
  /** Path of the file that lists the holidays in `businessTime`. */
  readonly holidaysFile?: string | undefined;
}

/** Returns the promise's settings, including the holidays. Adds a sentence to `errors` for each unusable setting. */
export function readPromiseSettings(
  values: Partial<SettingValues>,
  errors: string[],
): ConfiguredPromise | undefined {
  const { FOLLOW_UP_AFTER, FOLLOW_UP_REMINDER_AFTER, TIME_ZONE, BUSINESS_HOURS, HOLIDAYS_FILE } = values;
  // Read the file first, so that its error is reported together with errors in other settings.
  const closures = HOLIDAYS_FILE ? readHolidaysFile(HOLIDAYS_FILE, TIME_ZONE ?? 'UTC', errors) : [];
  if (FOLLOW_UP_AFTER === undefined || FOLLOW_UP_REMINDER_AFTER === undefined) return undefined;
  const elapsed = { reminderAfter: FOLLOW_UP_REMINDER_AFTER, dueAfter: FOLLOW_UP_AFTER };
  if (!BUSINESS_HOURS || TIME_ZONE === undefined) return elapsed;

  const settings = {
    ...elapsed,
    businessTime: { hours: BUSINESS_HOURS, timeZone: TIME_ZONE, closures },
  };
  checkOpenTime(settings, errors);

  return { ...settings, holidaysFile: HOLIDAYS_FILE };
}
