import { formatCount } from '../../format-count.ts';
import type { PromiseWords } from '../../site.ts';
import { Hour, Minute, Second } from '../../time.ts';
import type { PromiseSettings } from './response-promise.ts';
import { describeWeeklyHours } from './weekly-hours.ts';

/** The specification's FOLLOW_UP_AFTER, in milliseconds: with it every text is the specification's to the letter. */
const SPECIFIED_WAIT = 24 * Hour;

const units = [
  [Hour, 'hour'],
  [Minute, 'minute'],
  [Second, 'second'],
] as const;

/** `8 business hours`, `90 minutes` */
function writeDuration(duration: number, prefix: string): string {
  const [unit, name] = units.find(([length]) => duration % length === 0) ?? [Second, 'second'];

  return formatCount(duration / unit, `${prefix}${name}`);
}

/** Says the promise by the settings it is counted with; undefined for the specification's. */
export function writePromise({ dueAfter, businessTime }: PromiseSettings): PromiseWords | undefined {
  if (!businessTime && dueAfter === SPECIFIED_WAIT) return undefined;
  const short = `within ${writeDuration(dueAfter, businessTime ? 'business ' : '')}`;
  if (!businessTime) return { short, full: short };
  const { hours, timeZone, closures } = businessTime;
  const holidays = closures.length > 0 ? ', except holidays' : '';

  return { short, full: `${short} (${describeWeeklyHours(hours)}, ${timeZone}${holidays})` };
}

/** The subject, without the company, of the mail to sales at the promised time. */
export const writeDueSubject = ({ dueAfter }: PromiseSettings): string =>
  dueAfter === SPECIFIED_WAIT ? '24 h follow-up due' : 'Follow-up due';
