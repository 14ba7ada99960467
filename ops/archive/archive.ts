import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { ARCHIVE_SLOT, identifyServer, readSlot, replaceSlot } from '../../shared/node/database/replication.ts';
import type { Logger } from '../../shared/node/logging/logger.ts';
import { runPeriodically } from '../../shared/node/process/run-periodically.ts';
import { Day, Second } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import { ensureRepository, findRepository, forgetSnapshots, labelEnd, listSnapshots, storeSnapshot } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { leadsOn, selectKeptBases, selectKind, selectOutdated, type Snapshot } from '../repository/snapshots.ts';
import { createArchiveRecord, type ArchiveRecord } from './archive-record.ts';
import { createArchiveReport, type ArchiveReport } from './archive-report.ts';
import { receiveWithinRoom, requireRoom } from './archive-room.ts';
import { receiveWal, storeBase } from './archive-server.ts';
import { listLogs, nameLog, readSegments, WAL_FOLDER, type ReceivedLog } from './received-log.ts';
import { compareWithServer, countUpload, createLogComparison, type CompareLog, type LogEnd } from './rollback.ts';
import { describeFiles, removeSegmentsBefore } from './wal-files.ts';

/*
 * The archive: pg_receivewal writes the server's write-ahead log into a folder as it comes, and what has changed
 * there is stored in the repository every second, beside a copy of the server's files that is made each week.
 */

const UPLOAD_INTERVAL = 1 * Second;
const RECONNECT_DELAY = 2 * Second;
const BASE_CHECK_INTERVAL = 5 * Second;
const RECORD_INTERVAL = 10 * Second;
const BASE_INTERVAL = 7 * Day;
/** Uploads until the superseded ones are removed, each of which takes a few files. */
const UPLOADS_TO_TIDY = 500;

type ArchiveSettings = Pick<Config, 'backup' | 'programEnvironment' | 'roles'>;

interface ArchiveServices {
  /** As a role that may connect, which the archive's own may not. */
  readonly database: Database;
  readonly logger: Logger;
}

/** What the archive works with. */
interface Archive {
  readonly database: Database;
  readonly restic: Restic;
  readonly server: { readonly archiveUrl: string; readonly programEnvironment: Config['programEnvironment'] };
  /** ARCHIVE_DIR */
  readonly folder: string;
  readonly current: {
    /** The log that is received; undefined until the server was asked which one goes on. */
    log: ReceivedLog | undefined;
    /** When the last copy of the server's files was complete; undefined before this process has made one. */
    copiedAt: Date | undefined;
  };
  readonly compare: CompareLog;
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
  const compare = createLogComparison(restic);
  const current = { log: undefined, copiedAt: undefined };

  return { database, restic, server, folder, current, compare, keep: backup.keep, record, logger };
}

/** Why a log can't go on from what the repository has; undefined when it can. */
async function compareWithStored({ compare }: Archive, log: ReceivedLog, signal: AbortSignal): Promise<LogEnd | undefined> {
  const { isNewer, hasLater } = await compare(log, signal);
  if (isNewer) return 'log-set-back';

  return hasLater ? 'later-log' : undefined;
}

/**
 * Ensures that the server keeps what was not received yet. Where it didn't, as at the first start, after a
 * restore, and when the slot has fallen behind its bound, the archive begins anew; so it does when the server or the
 * log was set back to a snapshot of its volume.
 * @returns the log to go on with
 */
async function prepareLog(archive: Archive, signal: AbortSignal): Promise<ReceivedLog> {
  const { folder, server, logger } = archive;
  const identified = await identifyServer(server.archiveUrl);
  const slot = await readSlot(server.archiveUrl, ARCHIVE_SLOT);
  const newest = (await listLogs(folder)).at(-1);
  const reason =
    newest && ((await compareWithServer(newest, identified)) ?? (await compareWithStored(archive, newest, signal)));
  if (newest && slot === 'usable' && reason === undefined) return newest;
  const log = nameLog(folder, identified.systemId, newest);
  await mkdir(log.walFolder, { recursive: true, mode: 0o700 });
  await replaceSlot(server.archiveUrl, ARCHIVE_SLOT, slot);
  logger.warn(
    { slot, reason, log: newest?.name },
    'The archive begins anew: a moment before now is restored from the copies made until now.',
  );

  return log;
}

/** Removes what is no longer needed for any moment, here and in the repository. */
async function tidy({ restic, keep }: Archive, log: ReceivedLog, signal: AbortSignal): Promise<void> {
  const snapshots = await listSnapshots(restic, signal);
  const now = new Date();
  await forgetSnapshots(restic, selectOutdated(snapshots, keep, now), signal);
  const oldest = selectKeptBases(snapshots, now).findLast(({ labels }) => labels['log'] === log.name);
  if (oldest) await removeSegmentsBefore(log.walFolder, oldest.labels['start'] ?? '');
}

/** Stores what has changed since the last call that succeeded; a log that has ended is then removed. */
function createUploader(archive: Archive): (signal: AbortSignal) => Promise<void> {
  const { restic, folder, current, compare, record, logger } = archive;
  let stored: { readonly log: string; readonly state: string; readonly id: string; readonly at: Date } | undefined;
  let uploads = 0;

  /** @returns whether the log has begun: all of it is stored then */
  const store = async (log: ReceivedLog, signal: AbortSignal): Promise<boolean> => {
    const [first] = await readSegments(log);
    if (first === undefined) return false;
    const state = await describeFiles(log.walFolder);
    const before = stored?.log === log.name ? stored : undefined;
    // A copy counts once the log was stored after it, also where nothing is written meanwhile.
    const isAfterCopy = before !== undefined && (current.copiedAt === undefined || before.at >= current.copiedAt);
    if (isAfterCopy && before.state === state) return true;
    const at = new Date();
    const labels = { log: log.name, first, upload: String(await countUpload(log)) };
    const contents = { kind: 'wal', folder: log.folder, names: [WAL_FOLDER], labels, parent: before?.id } as const;
    // After a failure restic looks for the snapshot before itself: the one named may have been removed.
    stored = undefined;
    stored = { log: log.name, state, id: await storeSnapshot(restic, contents, signal), at };
    uploads += 1;
    if (uploads % UPLOADS_TO_TIDY === 0) await tidy(archive, log, signal);

    return true;
  };

  return async (signal) => {
    const startedAt = new Date();
    const logs = await listLogs(folder);
    let hasBegun = false;
    for (const log of logs) {
      if ((await compare(log, signal)).isNewer) {
        logger.warn({ log: log.name }, 'The folder of a log was set back and is removed: the repository has all of it, and more.');
        await rm(log.folder, { recursive: true });
      } else hasBegun = await store(log, signal);
    }
    for (const ended of logs.slice(0, -1)) await rm(ended.folder, { recursive: true, force: true });
    if (hasBegun) record.setStored(startedAt);
  };
}

/** Makes a copy of the server's files where there is none of the last week. */
function createBaseMaker(archive: Archive): (signal: AbortSignal) => Promise<void> {
  const { restic, server, current, record, logger } = archive;
  /** The newest copy known. */
  let known: Snapshot | undefined;

  /** Whether the log, as it would be stored now, leads on from a copy. */
  const isLedOn = (base: Snapshot, { name }: ReceivedLog, first: string): boolean =>
    leadsOn({ time: new Date(), labels: { log: name, first } }, base);
  const isCurrent = (log: ReceivedLog, first: string): boolean =>
    known !== undefined && isLedOn(known, log, first) && Date.now() - known.time.getTime() < BASE_INTERVAL;
  const findNewest = async (log: ReceivedLog, first: string, signal: AbortSignal) => {
    const bases = selectKind(await listSnapshots(restic, signal), 'base');
    known = bases.find((base) => isLedOn(base, log, first));
    record.setBase(known !== undefined);
  };

  return async (signal) => {
    const { log } = current;
    const segments = log ? await readSegments(log) : [];
    const [first] = segments;
    // What is received now lies before the copy that begins now.
    const start = segments.at(-1);
    if (log === undefined || first === undefined || start === undefined || isCurrent(log, first)) return;
    await ensureRepository(restic, signal);
    await findNewest(log, first, signal);
    if (isCurrent(log, first)) return;
    const id = await storeBase(server, restic, { log: log.name, start }, signal);
    // The log that has begun meanwhile has a gap before it.
    if (current.log?.name !== log.name) return;
    await labelEnd(restic, id, signal);
    current.copiedAt = new Date();
    await findNewest(log, first, signal);
    logger.info('A copy of the server’s files is in BACKUP_REPOSITORY.');
  };
}

/** Receives the log until that fails, or the repository has been away for too much of it. */
function createReceiver(archive: Archive): (signal: AbortSignal, report: ArchiveReport) => Promise<void> {
  const { database, folder, current, record, server } = archive;
  // What an earlier process received is in the repository, or it is compared with that first.
  const openedAt = new Date();
  const room = { database, folder, getStoredAt: () => record.getStoredAt() ?? openedAt };

  return async (signal, { watch }) => {
    // Before the log begins anew, which would make room for as much again.
    await requireRoom(room);
    const log = await prepareLog(archive, signal);
    current.log = log;
    await watch(() => receiveWithinRoom(room, (stop) => receiveWal(server, log.walFolder, stop), signal));
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
