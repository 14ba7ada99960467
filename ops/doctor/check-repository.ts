import type { Config } from '../../shared/node/config/config.ts';
import { readRehearsal, readSiteName } from '../../shared/node/files/backup-records.ts';
import { fail, pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { MAX_BACKUP_AGE } from '../../shared/node/monitoring/installation-checks.ts';
import { Hour, isRecent } from '../../shared/time.ts';
import { canRehearse } from '../backup/rehearse-restore.ts';
import { OpsError } from '../cli/session.ts';
import { findRepository, listSnapshotsBySite } from '../repository/repository.ts';
import { describeOtherSites } from '../repository/sites.ts';
import { findNewestDump, type Snapshot } from '../repository/snapshots.ts';

function assessNewest(newest: Snapshot | undefined): CheckOutcome {
  if (!newest) return warn('BACKUP_REPOSITORY has no backup of this site: run `ops backup`.');
  const age = Date.now() - newest.time.getTime();
  const detail = `The newest backup in BACKUP_REPOSITORY is ${(age / Hour).toFixed(1)} hours old`;

  return isRecent(newest.time, MAX_BACKUP_AGE, new Date())
    ? pass(`${detail}.`)
    : warn(`${detail}: what does the backup service log? \`ops backup\` makes and copies one at once.`);
}

/** Checks that BACKUP_REPOSITORY can be reached and has a backup of the last day; none without the setting. */
export function checkRepository(config: Config): readonly Check[] {
  const restic = findRepository(config);
  if (!restic) return [];

  return [
    {
      name: 'backup repository',
      run: async () => {
        try {
          const site = await readSiteName(config.backup.directory);
          const bySite = await listSnapshotsBySite(restic);
          const others = describeOtherSites(bySite, site);
          const newest = findNewestDump(bySite.get(site ?? '') ?? []);

          return [assessNewest(newest), ...(others === undefined ? [] : [{ check: 'other sites', state: 'info', detail: others } as const])];
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
      : warn('No restore is rehearsed: that needs DATABASE_ADMIN_URL, or a role in DATABASE_URL that may create databases.'),
});
