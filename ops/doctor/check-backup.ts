import { basename } from 'node:path';
import { stat } from 'node:fs/promises';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { Hour } from '../../shared/time.ts';
import { listBackups, readHash } from '../backup/backup-files.ts';
import type { Check, Finding } from './check.ts';

/** A daily one, and two hours for it to be made. */
const MAX_AGE = 26 * Hour;

const check = 'backup';
const warn = (detail: string): Finding => ({ check, status: 'warn', detail });

async function isThere(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    (error: unknown) => {
      if (getErrorCode(error) === 'ENOENT') return false;
      throw error;
    },
  );
}

/** Whether there is a verified backup of today. */
export const checkBackup = ({ backup }: Config): Check => ({
  name: check,
  look: async () => {
    const { directory } = backup;
    if (!(await isThere(directory))) {
      return { check, status: 'info', detail: `There is no folder ${directory}: no backups are made here.` };
    }
    const [newest] = await listBackups(directory);
    if (!newest) return warn(`There is no verified backup in ${directory}: run \`ops backup\`.`);
    const hours = ((Date.now() - newest.createdAt.getTime()) / Hour).toFixed(1);
    const name = basename(newest.path);
    if ((await readHash(newest.path)) === undefined) {
      return warn(`${name}.sha256 says nothing: run \`ops backup\`.`);
    }
    if (Date.now() - newest.createdAt.getTime() > MAX_AGE) {
      return warn(
        `The newest, ${name}, is ${hours} hours old: does the backup service run, and what does it log?`,
      );
    }

    return { check, status: 'ok', detail: `The newest, ${name}, is ${hours} hours old.` };
  },
});
