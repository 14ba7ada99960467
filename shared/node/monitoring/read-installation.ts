import { access } from 'node:fs/promises';
import { Hour } from '../../time.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import { inspectErasureLog, type ErasureLogStatus } from '../erasure/erasure-log.ts';
import { listBackups } from '../files/backup-files.ts';
import { readCopy, readRehearsal, type Copy, type Rehearsal } from '../files/backup-records.ts';
import { readDiskSpace, type DiskSpace } from '../files/disk-space.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { readSiteCertificate, type SiteCertificate } from '../outbound/read-certificate.ts';
import { readImage, type Image } from './image.ts';

/** A day, and two hours to make and copy the backup. */
export const MAX_BACKUP_AGE = 26 * Hour;

/** A week, a day until the next backup, and the time to make it. */
export const MAX_REHEARSAL_AGE = (8 * 24 + 2) * Hour;

/** The share of a disk that has to be free. */
export const MIN_FREE_SHARE = 0.15;

/** The folders that files are written to, by what they are for. */
export function listFolders({ mail, crm, privacy, backup }: Config): ReadonlyMap<string, string> {
  return new Map([
    ...(mail.smtpUrl ? [] : [['mails', mail.directory] as const]),
    ...(crm.provider === 'file' ? [['exports', crm.directory] as const] : []),
    ['erasures', privacy.erasuresDirectory],
    ['backups', backup.directory],
  ]);
}

/** Backups, certificate, disks and image: what expires or fills up without an error of the programs, as far as this one sees it. */
export interface Installation {
  /** `makes` is false where there is no folder of backups; no time where no verified one in it can be read. */
  readonly backup: { readonly makes: boolean; readonly newestAt?: Date };
  /** Of the newest backup to BACKUP_REPOSITORY; undefined where none is copied. */
  readonly copy: Copy | undefined;
  /** Undefined where no restore was rehearsed yet. */
  readonly rehearsal: Rehearsal | undefined;
  /** Undefined: there is no HTTPS, or it can't be found out from here. */
  readonly certificate: SiteCertificate | undefined;
  /** The folders' disks, by what the folders are for. */
  readonly disks: ReadonlyMap<string, DiskSpace>;
  /** Undefined outside of an image. */
  readonly image: Image | undefined;
  /** Undefined while PostgreSQL can't be asked. */
  readonly erasureLog: ErasureLogStatus | undefined;
}

/** What `read` resolves to, or undefined when it fails: what can't be read here is a matter of other checks. */
const tryRead = <Value>(read: Promise<Value>): Promise<Value | undefined> => read.catch(() => undefined);

async function readBackup(folder: string): Promise<Installation['backup']> {
  const makes = await access(folder).then(
    () => true,
    (error: unknown) => getErrorCode(error) !== 'ENOENT',
  );
  const [newest] = (makes && (await tryRead(listBackups(folder)))) || [];

  return { makes, ...(newest && { newestAt: newest.createdAt }) };
}

async function readDisks(config: Config): Promise<Installation['disks']> {
  const disks = await Promise.all(
    [...listFolders(config)].map(async ([use, folder]) => [use, await tryRead(readDiskSpace(folder))] as const),
  );

  return new Map(disks.filter((disk): disk is [string, DiskSpace] => disk[1] !== undefined));
}

/** Reads all of it anew; never throws, and takes as long as the certificate does, ten seconds at most. */
export async function readInstallation(config: Config, database: Database): Promise<Installation> {
  const { directory } = config.backup;
  const [backup, copy, rehearsal, certificate, disks, image, erasureLog] = await Promise.all([
    readBackup(directory),
    tryRead(readCopy(directory)),
    tryRead(readRehearsal(directory)),
    readSiteCertificate(config.site.publicUrl),
    readDisks(config),
    tryRead(readImage()),
    tryRead(inspectErasureLog(database, config)),
  ]);

  return {
    backup,
    copy,
    rehearsal,
    certificate: certificate && 'validUntil' in certificate ? certificate : undefined,
    disks,
    image,
    erasureLog: erasureLog?.status,
  };
}
