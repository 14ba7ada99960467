import { access, constants } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { Day, formatDay, Hour, isRecent } from '../../time.ts';
import type { Config } from '../config/config.ts';
import { checkErasureLogFile } from '../erasure/erasure-log.ts';
import { listBackups, readHash } from '../files/backup-files.ts';
import { readCopy, readRehearsal } from '../files/backup-records.ts';
import { findExisting, readDiskSpace } from '../files/disk-space.ts';
import { getErrorCode } from '../logging/describe-error.ts';
import { describeCallFailure } from '../outbound/classify-response.ts';
import { isExpiring, readSiteCertificate } from '../outbound/read-certificate.ts';
import { defineCheck, fail, pass, warn, type SiteCheck } from './check.ts';
import { databaseChecks } from './delivery-checks.ts';
import { isImageOld, readImage } from './image.ts';
import { redisChecks } from './redis-checks.ts';

/** Maximum age: one day, plus two hours to make and copy the backup. */
export const MAX_BACKUP_AGE = 26 * Hour;

/** Maximum age: one week, plus a day until the next backup and two hours to make it. */
const MAX_REHEARSAL_AGE = (8 * 24 + 2) * Hour;

/** Minimum free share of a disk's space. */
const MIN_FREE_SHARE = 0.15;

const MEGABYTE = 1024 ** 2;
const FAIL_BELOW = 100 * MEGABYTE;

/** Leaves enough time to get next year's file. */
const HOLIDAYS_WARNING_TIME = 60 * Day;

/** Certificates with at most this lifetime are always about to expire, such as those of TLS=internal. */
const MAX_SHORT_HOURS = 72;

const getDay = (time: Date | number) => new Date(time).toISOString().slice(0, 10);

const getAge = (time: Date, now: number) => `${((now - time.getTime()) / Hour).toFixed(1)} hours old`;

export const backupCheck = defineCheck({
  name: 'backup',
  read: async ({ config: { backup: { directory } } }) => {
    const isMade = await access(directory).then(
      () => true,
      (error: unknown) => getErrorCode(error) !== 'ENOENT',
    );
    const [newest] = isMade ? await listBackups(directory).catch(() => []) : [];

    return { directory, isMade, newest, hash: newest && (await readHash(newest.path)) };
  },
  assess: ({ directory, isMade, newest, hash }, now) => {
    if (!isMade) return { state: 'info', detail: `There is no folder ${directory}: no backups are made here.` };
    if (!newest) return warn(`There is no verified backup in ${directory}, or none that can be read.`);
    const name = basename(newest.path);
    if (hash === undefined) return warn(`${name}.sha256 contains no hash.`);
    const detail = `The newest backup, ${name}, is ${getAge(newest.createdAt, now)}.`;

    return isRecent(newest.createdAt, MAX_BACKUP_AGE, new Date(now)) ? pass(detail) : warn(detail);
  },
  alert: 'backup-late',
});

export const backupCopyCheck = defineCheck({
  name: 'backup copy',
  read: ({ config }) => readCopy(config.backup.directory),
  assess: (copy, now) => {
    if (!copy) return [];
    const { succeeded_at: at } = copy;
    if (!at) return warn('No backup could be copied to BACKUP_REPOSITORY yet.');
    const detail = `The newest copy in BACKUP_REPOSITORY is ${getAge(at, now)}.`;

    return isRecent(at, MAX_BACKUP_AGE, new Date(now)) ? pass(detail) : warn(detail);
  },
  alert: 'backup-copy-late',
});

export const rehearsalCheck = defineCheck({
  name: 'rehearsal',
  read: ({ config }) => readRehearsal(config.backup.directory),
  assess: (last, now) => {
    if (!last) {
      return { state: 'info', detail: 'No restore was rehearsed here yet: run `ops backup --rehearse` to do it now.' };
    }
    const { backup, rehearsed_at: at, error } = last;
    if (error !== null) return fail(`The restore of ${backup} failed on ${getDay(at)}: ${error}`);
    if (!isRecent(at, MAX_REHEARSAL_AGE, new Date(now))) {
      return warn(`The last restore was rehearsed on ${getDay(at)}.`);
    }

    return pass(`${backup} was restored on ${getDay(at)}, with all its rows.`);
  },
  alert: 'rehearsal-failed',
});

export const certificateCheck = defineCheck({
  name: 'certificate',
  read: ({ config }) => readSiteCertificate(config.site.publicUrl),
  assess: (certificate, now) => {
    if (!certificate) return { state: 'info', detail: 'PUBLIC_URL has no HTTPS.' };
    if ('unreachable' in certificate) {
      const why = describeCallFailure({ reason: `http-${certificate.unreachable}` });

      return { state: 'info', detail: `PUBLIC_URL can't be reached from here: check it from another machine. ${why}` };
    }
    const { validFrom, validUntil, namesHost } = certificate;
    const hours = Math.round((validUntil.getTime() - validFrom.getTime()) / Hour);
    const end = `${validUntil.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
    if (!namesHost) return fail('The certificate is not for the host of PUBLIC_URL.');
    if (validUntil.getTime() <= now) return fail(`The certificate was valid until ${end}, and browsers refuse it.`);
    if (isExpiring(certificate, now)) return warn(`The certificate is only valid until ${end}.`);

    return pass(
      hours <= MAX_SHORT_HOURS
        ? `The certificate is valid for ${hours} hours, and has to be renewed before ${end}.`
        : `The certificate is valid until ${end}.`,
    );
  },
  alert: 'certificate-expiring',
});

const listFolders = ({ mail, crm, privacy, backup }: Config): ReadonlyArray<readonly [use: string, folder: string]> => [
  ...(mail.smtpUrl ? [] : [['mails', mail.directory] as const]),
  ...(crm.provider === 'file' ? [['exports', crm.directory] as const] : []),
  ['erasures', privacy.erasuresDirectory],
  ['backups', backup.directory],
];

export const diskCheck = defineCheck({
  name: 'disk',
  // Other checks report unusable folders.
  read: async ({ config }) =>
    Promise.all(
      listFolders(config).map(async ([use, folder]) => ({
        ...{ use, folder, space: await readDiskSpace(folder).catch(() => undefined) },
      })),
    ),
  assess: (disks) =>
    disks.flatMap(({ use, folder, space }) => {
      if (!space || space.total === 0) return [];
      const { free, total } = space;
      const detail = `${folder} has ${Math.floor(free / MEGABYTE)} MB free, ${Math.floor((free / total) * 100)}%.`;
      const grade = free < total * MIN_FREE_SHARE ? warn : pass;

      return [{ check: `disk ${use}`, ...(free < FAIL_BELOW ? fail : grade)(detail) }];
    }),
  alert: 'disk-low',
});

export const imageCheck = defineCheck({
  name: 'image',
  // Reading this process's image is enough, because a refresh builds all images at the same time.
  read: () => readImage(),
  assess: (image, now) => {
    if (!image) return { state: 'info', detail: 'This process does not run in an image.' };
    const days = Math.max(0, Math.floor((now - image.created) / Day));
    const detail = `Version ${image.version}, built ${getDay(image.created)}, ${days} days ago.`;

    return isImageOld(image, now) ? warn(detail) : pass(detail);
  },
  alert: 'image-old',
});

const erasuresFolderCheck = defineCheck({
  name: 'erasures folder',
  read: async ({ config: { privacy: { erasuresDirectory: directory } } }) => ({
    directory,
    code: await findExisting(resolve(directory), constants.W_OK | constants.X_OK)
      .then(() => checkErasureLogFile(directory))
      .then(
        () => undefined,
        (error: unknown) => getErrorCode(error) ?? 'unknown',
      ),
  }),
  assess: ({ directory, code }) =>
    code === undefined
      ? pass(`${directory} and the erasure log in it can be used.`)
      : fail(`ERASURES_DIR ${directory} or the erasure log in it can't be read and written (${code}).`),
  advice: 'Until then nobody can be erased, and a restored backup brings back erased people.',
});

export const reminderCheck = defineCheck({
  name: 'reminder',
  read: async ({ config }) => config.followUp,
  // Both durations are measured in the same kind of time (open or elapsed), so the shorter one always ends first.
  assess: ({ reminderAfter, dueAfter }) =>
    reminderAfter < dueAfter
      ? pass('The reminder is sent before the answer is due.')
      : warn('The reminder is not sent before the answer is due.'),
  advice: 'Set FOLLOW_UP_REMINDER_AFTER to less than FOLLOW_UP_AFTER.',
});

export const holidaysCheck = defineCheck({
  name: 'holidays',
  read: async ({ config }) => config.followUp,
  assess: ({ holidaysFile, businessTime }, now) => {
    if (!businessTime) return { state: 'info', detail: 'BUSINESS_HOURS is not set: all hours count.' };
    if (!holidaysFile) return { state: 'info', detail: 'HOLIDAYS_FILE is not set: no day is a holiday.' };
    const { closures, timeZone } = businessTime;
    if (closures.length === 0) return warn('HOLIDAYS_FILE has no holiday.');
    const last = Math.max(...closures.map(({ end }) => end)) - 1;
    const day = formatDay(last, timeZone);
    if (last < now + HOLIDAYS_WARNING_TIME) return warn(`The last holiday of HOLIDAYS_FILE is on ${day}.`);

    return pass(`There are holidays until ${day}.`);
  },
  advice: 'Get a file with the next holidays.',
});

export const installationChecks: readonly SiteCheck[] = [
  ...redisChecks,
  ...[erasuresFolderCheck, backupCheck, backupCopyCheck, rehearsalCheck, certificateCheck],
  ...[reminderCheck, holidaysCheck, imageCheck, diskCheck],
];

/** All checks of the site, used by doctor, status, alerts, metrics and the heartbeat. */
export const siteChecks: readonly SiteCheck[] = [...databaseChecks, ...installationChecks];
