import type { Config } from '../../shared/node/config/config.ts';
import { readRehearsal } from '../../shared/node/files/backup-records.ts';
import { fail, pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { MAX_BACKUP_AGE } from '../../shared/node/monitoring/installation-checks.ts';
import { Hour, isRecent } from '../../shared/time.ts';
import { canRehearse } from '../backup/rehearse-restore.ts';
import { OpsError } from '../cli/session.ts';
import { findRepository, listSnapshots } from '../repository/repository.ts';
import { selectDumps, type Snapshot } from '../repository/snapshots.ts';

function assessNewest(newest: Snapshot | undefined): CheckOutcome {
  if (!newest) return warn('BACKUP_REPOSITORY has no backup of this site: run `ops backup`.');
  const age = Date.now() - newest.time.getTime();
  const detail = `The newest backup in BACKUP_REPOSITORY is ${(age / Hour).toFixed(1)} hours old`;

  return isRecent(newest.time, MAX_BACKUP_AGE, new Date())
    ? pass(`${detail}.`)
    : warn(`${detail}: read the log of the backup service. \`ops backup\` makes and copies one immediately.`);
}

/** Checks that BACKUP_REPOSITORY is reachable and has a recent backup. Without the setting, there is no check. */
export function checkRepository(config: Config): readonly Check[] {
  const restic = findRepository(config);
  if (!restic) return [];

  return [
    {
      name: 'backup repository',
      run: async () => {
        try {
          return assessNewest(selectDumps(await listSnapshots(restic))[0]);
        } catch (error) {
          if (!(error instanceof OpsError)) throw error;

          return fail(`BACKUP_REPOSITORY can't be used: ${error.message}`);
        }
      },
    },
  ];
}

export const checkRehearsalRole = (config: Config): Check => ({
  name: 'rehearsal',
  run: async () =>
    (await readRehearsal(config.backup.directory)) || (await canRehearse(config))
      ? []
      : warn('Restores are not rehearsed: set DATABASE_ADMIN_URL, or let the role of DATABASE_URL create databases.'),
});
