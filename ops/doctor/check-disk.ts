import { access, constants, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import { getErrorCode } from '../../shared/node/error-code.ts';
import type { Check, Finding } from './finding.ts';

const MEGABYTE = 1024 ** 2;
const WARN_BELOW = 1024 * MEGABYTE;
const WARN_BELOW_SHARE = 0.05;
const FAIL_BELOW = 100 * MEGABYTE;

/** The folder, or the nearest one above it that exists: it is made when it is first written to. */
async function findExisting(folder: string): Promise<string> {
  try {
    await access(folder, constants.W_OK | constants.X_OK);

    return folder;
  } catch (error) {
    if (getErrorCode(error) !== 'ENOENT' || folder === dirname(folder)) throw error;

    return findExisting(dirname(folder));
  }
}

async function lookAtFolder(use: string, directory: string): Promise<Finding> {
  const check = `disk ${use}`;

  try {
    const { bavail, blocks, bsize } = await statfs(await findExisting(resolve(directory)));
    const free = bavail * bsize;
    const detail = `${directory} has ${Math.floor(free / MEGABYTE)} MB free`;
    if (free < FAIL_BELOW) return { check, status: 'fail', detail: `${detail}: make room.` };
    if (free < WARN_BELOW || bavail < blocks * WARN_BELOW_SHARE) {
      return { check, status: 'warn', detail: `${detail}: make room soon.` };
    }

    return { check, status: 'ok', detail: `${detail}.` };
  } catch (error) {
    const code = getErrorCode(error) ?? 'unknown';

    return { check, status: 'fail', detail: `${directory} can't be written to (${code}).` };
  }
}

/** Whether the folders written to have room. */
export const checkDisk = ({ mail, crm, privacy }: Config): readonly Check[] => {
  const folders = [
    ...(mail.smtpUrl ? [] : [['mails', mail.directory] as const]),
    ...(crm.provider === 'file' ? [['exports', crm.directory] as const] : []),
    ['erasures', privacy.erasuresDirectory] as const,
  ];

  return folders.map(([use, directory]) => ({
    name: `disk ${use}`,
    look: () => lookAtFolder(use, directory),
  }));
};
