import { formatCount } from '../../format-count.ts';
import type { BusinessPromise } from '../../site.ts';
import { Hour, Minute, Second } from '../../time.ts';
import type { PromiseSettings } from './response-promise.ts';
import { describeWeeklyHours } from './weekly-hours.ts';

const units = [
  [Hour, 'hour'],
  [Minute, 'minute'],
  [Second, 'second'],
] as const;

/** `8 business hours`, `90 business minutes` */
function writeBusinessTime(duration: number): string {
  const [unit, name] = units.find(([length]) => duration % length === 0) ?? [Second, 'second'];

  return formatCount(duration / unit, `business ${name}`);
}

/** Says the promise of business hours, by the settings it is counted with; undefined without them. */
export function writeBusinessPromise({
  dueAfter,
  businessTime,
}: PromiseSettings): BusinessPromise | undefined {
  if (!businessTime) return undefined;
  const { hours, timeZone, closures } = businessTime;
  const short = `within ${writeBusinessTime(dueAfter)}`;
  const holidays = closures.length > 0 ? ', except holidays' : '';

  return { short, full: `${short} (${describeWeeklyHours(hours)}, ${timeZone}${holidays})` };
}
