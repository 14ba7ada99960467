import { constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import { checkErasureLogFile } from '../../shared/node/erasure/erasure-log-file.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { fail, pass, warn, type Check, type CheckOutcome } from '../../shared/node/monitoring/check.ts';
import { listFolders, MIN_FREE_SHARE } from '../../shared/node/monitoring/read-installation.ts';
import { findExisting, readDiskSpace } from '../../shared/node/files/disk-space.ts';

const MEGABYTE = 1024 ** 2;
const WARN_BELOW = 1024 * MEGABYTE;
const FAIL_BELOW = 100 * MEGABYTE;

async function checkFreeSpace(directory: string): Promise<CheckOutcome> {
  const { free, total } = await readDiskSpace(directory);
  const share = Math.floor((free / total) * 100);
  const detail = `${directory} has ${Math.floor(free / MEGABYTE)} MB free, ${share} %`;
  if (free < FAIL_BELOW) return fail(`${detail}: free disk space.`);
  if (free < WARN_BELOW || free < total * MIN_FREE_SHARE) {
    return warn(`${detail}: free disk space soon.`);
  }

  return pass(`${detail}.`);
}

/** An unusable folder is reported by the check of what is written there. */
async function checkFolder(directory: string): Promise<readonly CheckOutcome[]> {
  try {
    return [await checkFreeSpace(directory)];
  } catch {
    return [];
  }
}

/** Checks that the erasure log can be read and written; nobody can be erased without it. */
export const checkErasuresFolder = ({ privacy }: Config): Check => ({
  name: 'erasures folder',
  run: async () => {
    const { erasuresDirectory: directory } = privacy;

    try {
      await findExisting(resolve(directory), constants.W_OK | constants.X_OK);
      await checkErasureLogFile(directory);

      return pass(`${directory} and the erasure log in it can be used.`);
    } catch (error) {
      const code = getErrorCode(error) ?? 'unknown';

      return fail(
        `ERASURES_DIR ${directory} or the erasure log in it can't be read and written (${code}): nobody can be erased, and a restored backup brings back erased people.`,
      );
    }
  },
});

/** Checks the free disk space of the folders that files are written to. */
export const checkDisk = (config: Config): readonly Check[] =>
  [...listFolders(config)].map(([use, directory]) => ({
    name: `disk ${use}`,
    run: () => checkFolder(directory),
  }));
