import { constants } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import { checkErasureLogFile } from '../../shared/node/erasure/erasure-log-file.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { findExisting, readDiskSpace } from '../backup/disk-space.ts';
import type { Check, Finding } from './check.ts';

const MEGABYTE = 1024 ** 2;
const WARN_BELOW = 1024 * MEGABYTE;
const WARN_BELOW_SHARE = 0.05;
const FAIL_BELOW = 100 * MEGABYTE;

async function lookAtRoom(check: string, directory: string): Promise<Finding> {
  const { free, total } = await readDiskSpace(directory);
  const detail = `${directory} has ${Math.floor(free / MEGABYTE)} MB free`;
  if (free < FAIL_BELOW) return { check, status: 'fail', detail: `${detail}: make room.` };
  if (free < WARN_BELOW || free < total * WARN_BELOW_SHARE) {
    return { check, status: 'warn', detail: `${detail}: make room soon.` };
  }

  return { check, status: 'ok', detail: `${detail}.` };
}

/** A folder that can't be used is told of by the check of what is written there. */
async function lookAtFolder(use: string, directory: string): Promise<readonly Finding[]> {
  try {
    return [await lookAtRoom(`disk ${use}`, directory)];
  } catch {
    return [];
  }
}

/** Whether erasures can be noted and read; without that nobody can be erased, or stays so. */
export const checkErasuresFolder = ({ privacy }: Config): Check => ({
  name: 'erasures folder',
  look: async () => {
    const check = 'erasures folder';
    const { erasuresDirectory: directory } = privacy;

    try {
      await findExisting(resolve(directory), constants.W_OK | constants.X_OK);
      await checkErasureLogFile(directory);

      return { check, status: 'ok', detail: `${directory} and the list in it can be used.` };
    } catch (error) {
      const code = getErrorCode(error) ?? 'unknown';

      return {
        check,
        status: 'fail',
        detail: `ERASURES_DIR ${directory} or the list in it can't be read and written (${code}): nobody can be erased, and a restored backup brings back who was.`,
      };
    }
  },
});

/** Whether there is room where files are written. */
export const checkDisk = ({ mail, crm, privacy, backup }: Config): readonly Check[] => {
  const folders = [
    ...(mail.smtpUrl ? [] : [['mails', mail.directory] as const]),
    ...(crm.provider === 'file' ? [['exports', crm.directory] as const] : []),
    ['erasures', privacy.erasuresDirectory] as const,
    ['backups', backup.directory] as const,
  ];

  return folders.map(([use, directory]) => ({
    name: `disk ${use}`,
    look: () => lookAtFolder(use, directory),
  }));
};
