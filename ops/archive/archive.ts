import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { ARCHIVE_SLOT, identifyServer, readSlot, replaceSlot } from '../../shared/node/database/replication.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { Day, Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { ensureRepository, findRepository, forgetSnapshots, listSnapshots, storeSnapshot } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { KEPT_BASES, selectKind, selectOutdated, type Snapshot } from '../repository/snapshots.ts';
import { createArchiveRecord, type ArchiveRecord } from './archive-record.ts';
import { createArchiveReport, type ArchiveReport } from './archive-report.ts';
import { receiveWal, storeBase } from './archive-server.ts';
import { describeFiles, listSegments, removeSegmentsBefore } from './wal-files.ts';

/*
 * The archive: pg_receivewal writes the server's write-ahead log into a folder as it comes, and what has changed
 * there is stored in the repository every second, beside a copy of the server's files that is made each week.
 */

/** Folder with the write-ahead log, in its snapshots too. */
export const WAL_FOLDER = 'wal';
/** Beside it, the id of the server it is of. */
const SYSTEM_FILE = 'system';

const UPLOAD_INTERVAL = 1 * Second;
const RECONNECT_DELAY = 2 * Second;
const BASE_CHECK_INTERVAL = 5 * Second;
const RECORD_INTERVAL = 10 * Second;
const BASE_INTERVAL = 7 * Day;
/** Uploads until the superseded ones are removed, each of which takes a few files. */
const UPLOADS_TO_TIDY = 500;

export type ArchiveSettings = Pick<Config, 'backup' | 'programEnvironment' | 'roles'>;

interface ArchiveServices {
  /** As a role that may connect, which the archive's own may not. */
  readonly database: Database;
  readonly logger: Logger;
}

/** What the archive works with. */
interface Archive {
  readonly restic: Restic;
  readonly server: { readonly archiveUrl: string; readonly programEnvironment: Config['programEnvironment'] };
  readonly folder: string;
  readonly walFolder: string;
  /** Number of backups in the repository. */
  readonly keep: number;
  readonly record: ArchiveRecord;
  readonly logger: Logger;
}

/** @throws OpsError naming the setting that is missing */
function openArchive(settings: ArchiveSettings, { database, logger }: ArchiveServices): Archive {
  const { backup, programEnvironment, roles } = settings;
  const folder = resolve(backup.archiveDirectory);
  const restic = findRepository(settings, folder);
  if (!restic) throw new OpsError('The archive needs BACKUP_REPOSITORY.');
  if (!roles.archiveUrl) throw new OpsError('The archive needs DATABASE_ARCHIVE_URL.');
  const server = { archiveUrl: roles.archiveUrl, programEnvironment };

  const record = createArchiveRecord(database, backup.directory);

  return { restic, server, folder, walFolder: join(folder, WAL_FOLDER), keep: backup.keep, record, logger };
}

async function readSystem({ folder }: Archive): Promise<string | undefined> {
  return readFile(join(folder, SYSTEM_FILE), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/**
 * Ensures that the server keeps what was not received yet. Where it didn't, as at the first start, after a
 * restore, and when the slot has fallen behind its bound, the archive begins anew.
 */
async function prepareSlot(archive: Archive): Promise<void> {
  const { folder, walFolder, server, logger } = archive;
  await mkdir(walFolder, { recursive: true, mode: 0o700 });
  const { systemId } = await identifyServer(server.archiveUrl);
  const slot = await readSlot(server.archiveUrl, ARCHIVE_SLOT);
  if (slot === 'usable' && (await readSystem(archive)) === systemId) return;
  await rm(walFolder, { recursive: true });
  await mkdir(walFolder, { mode: 0o700 });
  await replaceSlot(server.archiveUrl, ARCHIVE_SLOT, slot);
  await writeFile(join(folder, SYSTEM_FILE), systemId, { mode: 0o600, flush: true });
  logger.warn({ slot }, 'The archive begins anew: a moment before now is restored from the copies made until now.');
}

/** Stores what has changed since the last call that succeeded. */
function createUploader(archive: Archive): (signal: AbortSignal) => Promise<void> {
  const { restic, folder, walFolder, keep, record } = archive;
  let uploaded = '';
  let parent: string | undefined;
  let uploads = 0;

  return async (signal) => {
    const startedAt = new Date();
    const state = await describeFiles(walFolder).catch(() => '');
    if (state === '') return;
    if (state === uploaded) return record.setStored(startedAt);
    const [first] = listSegments(await readdir(walFolder));
    const system = await readSystem(archive);
    if (first === undefined || system === undefined) return;
    if (parent === undefined) await ensureRepository(restic, signal);
    const labels = { system, first };
    parent = await storeSnapshot(restic, { kind: 'wal', folder, names: [WAL_FOLDER], labels, parent }, signal);
    uploaded = state;
    record.setStored(startedAt);
    uploads += 1;
    if (uploads % UPLOADS_TO_TIDY !== 0) return;
    await forgetSnapshots(restic, selectOutdated(await listSnapshots(restic, signal), keep), signal);
  };
}

/** The copies from which the received log leads on, the newest first. */
async function listBases(archive: Archive, system: string, signal: AbortSignal): Promise<readonly Snapshot[]> {
  const [first = ''] = listSegments(await readdir(archive.walFolder));
  const bases = selectKind(await listSnapshots(archive.restic, signal), 'base');

  return bases.filter(({ labels }) => labels['system'] === system && labels['end'] !== undefined && (labels['start'] ?? '') >= first);
}

/** Makes a copy of the server's files where there is none of the last week, and then removes what it replaces. */
function createBaseMaker(archive: Archive): (signal: AbortSignal) => Promise<void> {
  const { restic, server, walFolder, record, logger } = archive;
  /** Of the newest copy known, with the server it is of. */
  let known: { readonly system: string; readonly start: string; readonly time: Date } | undefined;

  const isCurrent = (system: string, first: string): boolean =>
    known?.system === system && known.start >= first && Date.now() - known.time.getTime() < BASE_INTERVAL;

  return async (signal) => {
    const system = await readSystem(archive);
    const segments = listSegments(await readdir(walFolder).catch(() => []));
    const [first] = segments;
    // What is received now lies before the copy that begins now.
    const start = segments.at(-1);
    if (system === undefined || first === undefined || start === undefined || isCurrent(system, first)) return;
    await ensureRepository(restic, signal);
    const remember = async () => {
      const bases = await listBases(archive, system, signal);
      const [newest] = bases;
      record.setBase(newest !== undefined);
      known = newest && { system, start: newest.labels['start'] ?? '', time: newest.time };

      return bases;
    };
    await remember();
    if (isCurrent(system, first)) return;
    await storeBase(server, restic, { system, start }, signal);
    const bases = await remember();
    const oldest = bases.slice(0, KEPT_BASES).at(-1)?.labels['start'];
    if (oldest !== undefined && bases.length > 1) await removeSegmentsBefore(walFolder, oldest);
    logger.info('A copy of the server’s files is in BACKUP_REPOSITORY.');
  };
}

/** Receives the log until that fails. */
function createReceiver(archive: Archive): (signal: AbortSignal, report: ArchiveReport) => Promise<void> {
  return async (signal, { watch }) => {
    await prepareSlot(archive);
    await watch(() => receiveWal(archive.server, archive.walFolder, signal));
  };
}

/**
 * Archives the server's write-ahead log until it is stopped. What fails is retried, and raises an alert after a
 * minute; the server keeps what was not received meanwhile, up to its `max_slot_wal_keep_size`. Up to when a moment
 * can be restored is recorded in BACKUP_DIR.
 * @returns what stops it
 * @throws OpsError naming the setting that is missing
 */
export function startArchive(settings: ArchiveSettings, services: ArchiveServices): () => Promise<void> {
  const archive = openArchive(settings, services);
  const tasks = [
    { run: createReceiver(archive), intervalMs: RECONNECT_DELAY },
    { run: createUploader(archive), intervalMs: UPLOAD_INTERVAL },
    { run: createBaseMaker(archive), intervalMs: BASE_CHECK_INTERVAL },
    { run: archive.record.write, intervalMs: RECORD_INTERVAL },
  ];
  const stops = tasks.map(({ run, intervalMs }) => {
    const report = createArchiveReport(archive);

    return runPeriodically({
      intervalMs,
      run: async (signal) => {
        try {
          await run(signal, report);
          report.succeeded();
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      onError: report.failed,
    });
  });

  return async () => {
    await Promise.all(stops.map((stop) => stop()));
  };
}
