import { basename } from 'node:path';
import { stat } from 'node:fs/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { pass, warn, type Check } from '../../shared/node/monitoring/check.ts';
import { MAX_BACKUP_AGE } from '../../shared/node/monitoring/read-installation.ts';
import { Hour, isRecent } from '../../shared/time.ts';
import { listBackups, readHash } from '../../shared/node/files/backup-files.ts';

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error: unknown) => {
      if (getErrorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Checks that the newest verified backup is at most a day old. */
export const checkBackup = ({ backup }: Config): Check => ({
  name: 'backup',
  run: async () => {
    const { directory } = backup;
    if (!(await exists(directory))) {
      return { state: 'info', detail: `There is no folder ${directory}: no backups are made here.` };
    }
    const [newest] = await listBackups(directory);
    if (!newest) return warn(`There is no verified backup in ${directory}: run \`ops backup\`.`);
    const hours = ((Date.now() - newest.createdAt.getTime()) / Hour).toFixed(1);
    const name = basename(newest.path);
    if ((await readHash(newest.path)) === undefined) {
      return warn(`${name}.sha256 contains no hash: run \`ops backup\`.`);
    }
    if (!isRecent(newest.createdAt, MAX_BACKUP_AGE, new Date())) {
      return warn(
        `The newest, ${name}, is ${hours} hours old: does the backup service run, and what does it log?`,
      );
    }

    return pass(`The newest, ${name}, is ${hours} hours old.`);
  },
});
