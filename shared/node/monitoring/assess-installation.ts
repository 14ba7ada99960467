import { Hour, isRecent } from '../../time.ts';
import type { AlertName } from '../logging/alert-list.ts';
import type { AlertDetails } from '../logging/raised-alerts.ts';
import { isExpiring } from '../outbound/read-certificate.ts';
import { isImageOld } from './image.ts';
import {
  MAX_BACKUP_AGE,
  MAX_REHEARSAL_AGE,
  MIN_FREE_SHARE,
  type Installation,
} from './read-installation.ts';

/** What needs attention, as it is logged. */
interface InstallationProblem {
  readonly alert: AlertName;
  readonly message: string;
  readonly details: AlertDetails;
}

/** What was erased is recognized in a restored backup, or nobody was erased yet. */
export const isLogInOrder = ({ erasureLog }: Installation): boolean =>
  erasureLog === undefined || erasureLog === 'complete' || erasureLog === 'not-begun';

/** The share of each disk that is free, by what is on it. */
export const listFreeShares = ({ disks }: Installation): ReadonlyArray<readonly [use: string, share: number]> =>
  [...disks].filter(([, { total }]) => total > 0).map(([use, { free, total }]) => [use, free / total]);

/** Whether it has been longer than `ms`; so it has where there is no time, or one of a clock that was wrong. */
const isOlder = (time: Date | null | undefined, ms: number, now: number): boolean =>
  !time || !isRecent(time, ms, new Date(now));

/** The problem of what was found to need attention, if anything was. */
const listIf = <Found>(
  found: Found | false | undefined,
  describe: (found: Found) => InstallationProblem,
): readonly InstallationProblem[] => (found ? [describe(found)] : []);

/**
 * What needs attention soon, each once.
 * @param now milliseconds since 1970
 */
export function listInstallationProblems(
  installation: Installation,
  now: number,
): readonly InstallationProblem[] {
  const { backup, copy, rehearsal, certificate, image, erasureLog } = installation;
  const full = listFreeShares(installation).filter(([, share]) => share < MIN_FREE_SHARE);
  const age = backup.newestAt && now - backup.newestAt.getTime();
  const isBackupLate = backup.makes && isOlder(backup.newestAt, MAX_BACKUP_AGE, now);

  return [
    ...listIf(isBackupLate, () => ({
      alert: 'backup-late',
      message: 'There is no recent backup.',
      details: age === undefined ? {} : { hours: Math.floor(age / Hour) },
    })),
    ...listIf(copy && isOlder(copy.succeeded_at, MAX_BACKUP_AGE, now) && copy, ({ succeeded_at: at }) => ({
      alert: 'backup-copy-late',
      message: 'There is no recent backup in BACKUP_REPOSITORY.',
      details: { copiedAt: at?.toISOString() ?? 'never' },
    })),
    // One that failed has raised its own alert.
    ...listIf(rehearsal && isOlder(rehearsal.rehearsed_at, MAX_REHEARSAL_AGE, now) && rehearsal, ({ rehearsed_at: at }) => ({
      alert: 'rehearsal-late',
      message: 'No restore was rehearsed lately.',
      details: { rehearsedAt: at.toISOString() },
    })),
    ...listIf(certificate && isExpiring(certificate, now) && certificate, ({ validUntil }) => ({
      alert: 'certificate-expiring',
      message: 'The certificate ends soon, or has ended.',
      details: { validUntil: validUntil.toISOString() },
    })),
    ...listIf(full.length > 0, () => ({
      alert: 'disk-low',
      message: 'A disk is nearly full.',
      details: Object.fromEntries(full.map(([use, share]) => [`${use} %`, Math.floor(share * 100)])),
    })),
    ...listIf(image && isImageOld(image, now) && image, ({ created }) => ({
      alert: 'image-old',
      message: 'The image lacks the fixes of weeks.',
      details: { created: new Date(created).toISOString() },
    })),
    ...listIf(!isLogInOrder(installation) && erasureLog, (status) => ({
      alert: 'erasure-log-incomplete',
      message: 'The erasure log is not in order.',
      details: { erasureLog: status },
    })),
  ];
}
