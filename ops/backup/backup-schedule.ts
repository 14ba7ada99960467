import { Day } from '../../shared/time.ts';

/** When the daily backup is made. */
export interface BackupTime {
  /** Minutes after midnight in `timeZone`. */
  readonly at: number;
  readonly timeZone: string;
}

/** The day to which a backup made now would belong: it begins at the time of the daily one. */
function getBackupDay(time: Date, { at, timeZone }: BackupTime): string {
  // The Swedish way of writing it is the ISO's: 2026-11-21 03:00.
  const local = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(time);
  const [date = '', clock = ''] = local.split(' ');
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  if (hours * 60 + minutes >= at) return date;

  return new Date(Date.parse(date) - Day).toISOString().slice(0, 10);
}

/** Whether the daily backup is to be made now: none was made since its time came. */
export function isBackupOwed(newest: Date | undefined, now: Date, time: BackupTime): boolean {
  return newest === undefined || getBackupDay(newest, time) < getBackupDay(now, time);
}
