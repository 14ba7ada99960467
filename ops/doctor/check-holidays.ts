import type { Config } from '../../shared/node/config/config.ts';
import { pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { Day, formatDay } from '../../shared/time.ts';

/** Enough to get next year's file. */
const WARNING_TIME = 60 * Day;

/** @param now milliseconds since 1970 */
export function assessHolidays({ followUp }: Pick<Config, 'followUp'>, now: number): CheckOutcome {
  const { holidaysFile, businessTime } = followUp;
  if (!businessTime) return { state: 'info', detail: 'BUSINESS_HOURS is not set: all hours count.' };
  if (!holidaysFile) return { state: 'info', detail: 'HOLIDAYS_FILE is not set: no day is a holiday.' };
  const { closures, timeZone } = businessTime;
  if (closures.length === 0) return warn('HOLIDAYS_FILE has no holiday: get a newer file.');
  const last = Math.max(...closures.map(({ end }) => end)) - 1;
  const day = formatDay(last, timeZone);
  if (last < now) return warn(`The last holiday of HOLIDAYS_FILE was on ${day}: get a newer file.`);
  if (last < now + WARNING_TIME) {
    return warn(`The last holiday of HOLIDAYS_FILE is on ${day}: get the file of the time after it.`);
  }

  return pass(`There are holidays until ${day}.`);
}

/** Checks that HOLIDAYS_FILE has holidays to come. */
export const checkHolidays = (config: Config): Check => ({
  name: 'holidays',
  run: async () => assessHolidays(config, Date.now()),
});
