import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { OpsError } from '../cli/session.ts';
import { formatTime } from '../cli/terminal.ts';
import { makeToolCommand, readToolMajor, type ProgramEnvironment } from '../postgres/postgres-tools.ts';
import { listSnapshots, streamFile } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { getEnd, leadsOn, selectBases, selectLogs, type Snapshot } from '../repository/snapshots.ts';
import { BASE_FILE } from './archive-server.ts';
import { WAL_FOLDER } from './received-log.ts';
import { isUnbroken, listSegments } from './wal-files.ts';

const LACKS_SEGMENTS = 'The write-ahead log in BACKUP_REPOSITORY lacks segments.';

/** What a moment is restored from. */
interface ArchiveParts {
  readonly base: Snapshot;
  /** Snapshots of the write-ahead log, the newest first. */
  readonly logs: readonly Snapshot[];
}

/** What was restored. */
interface RestoredArchive {
  readonly baseAt: Date;
  /** When the last transaction was committed that the archive has, in UTC; undefined when it has none. */
  readonly lastCommitAt: Date | undefined;
  /** Whether the archive has later transactions than the moment that was asked for. */
  readonly isBeforeEnd: boolean;
}

/**
 * The newest copy of the server's files that was complete at the moment, and the logs that lead on from it.
 * @param at undefined: the end of the archive
 * @throws OpsError when the archive doesn't reach back to the moment
 */
export function selectParts(snapshots: readonly Snapshot[], at: Date | undefined): ArchiveParts {
  const bases = selectBases(snapshots);
  const base = bases.find((one) => at === undefined || (getEnd(one) ?? at) <= at);
  if (base) return { base, logs: selectLogs(snapshots).filter((log) => leadsOn(log, base)) };
  const oldest = bases.map(getEnd).at(-1);
  throw new OpsError(
    oldest
      ? `The archive begins at ${formatTime(oldest)} UTC: for a moment before, restore a backup (ops restore --repository).`
      : 'BACKUP_REPOSITORY has no archive to restore from.',
  );
}

/** When the copy that a moment would be restored from began, and when the log since was last stored. */
interface MomentInArchive {
  readonly baseAt: Date;
  readonly storedAt: Date;
}

/**
 * Says what a moment would be restored from, and fetches none of it.
 * @param at undefined: the end of the archive
 * @throws OpsError when the archive doesn't reach back to the moment
 */
export function findMoment(snapshots: readonly Snapshot[], at: Date | undefined): MomentInArchive {
  const { base, logs } = selectParts(snapshots, at);
  const [log] = logs;
  if (!log) throw new OpsError(LACKS_SEGMENTS);

  return { baseAt: base.time, storedAt: log.time };
}

/** tar reads no further than the mark of an archive's end, or than where it fails: its exit code says which. */
const PIPE_CLOSED: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Unpacks a folder of a snapshot, or the tar archive that a file of it is. */
async function unpack(restic: Restic, snapshot: Snapshot, name: string, folder: string): Promise<void> {
  const tar = spawn('tar', ['--extract', '--no-same-owner', `--directory=${folder}`, '--file=-'], {
    env: restic.programEnvironment,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const ended = once(tar, 'close') as Promise<[number | null]>;
  // It is waited for below; until then one that can't be started is no rejection that nobody handles.
  ended.catch(() => undefined);

  try {
    await streamFile(restic, snapshot, name, tar.stdin);
  } catch (error) {
    tar.stdin.destroy();
    if (!PIPE_CLOSED.has(getErrorCode(error) ?? '')) throw error;
  }
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new OpsError(`${name} of the archive could not be unpacked: has the disk of ${folder} enough room?`);
}

/** A server starts on files of its own major only; the tools are of the one that is to start on these. */
async function requireOwnMajor(environment: ProgramEnvironment, folder: string): Promise<void> {
  const major = Number.parseInt(await readFile(join(folder, 'PG_VERSION'), 'utf8'), 10);
  const own = await readToolMajor(environment, 'pg_waldump');
  if (major === own) return;
  throw new OpsError(
    `The archive's files of that moment are of PostgreSQL ${major}, and this version has ${own}: restore them with the version of the site that had ${major} (docs/operations/postgres-major-upgrade.md).`,
  );
}

/** The segment that was being received when the machine was lost counts as a whole: its end is recognized. */
async function completeLastSegment(folder: string): Promise<void> {
  const names = new Set(await readdir(folder));
  for (const name of names) {
    const whole = name.replace(/\.partial$/, '');
    if (whole !== name && !names.has(whole)) await rename(join(folder, name), join(folder, whole));
  }
}

async function unpackLog(restic: Restic, { logs }: ArchiveParts, folder: string): Promise<void> {
  for (const log of logs) {
    await unpack(restic, log, WAL_FOLDER, folder);
    if (isUnbroken(listSegments(await readdir(join(folder, WAL_FOLDER))))) {
      return completeLastSegment(join(folder, WAL_FOLDER));
    }
    // It was stored while one segment ended and the next one began.
    await rm(join(folder, WAL_FOLDER), { recursive: true });
  }
  throw new OpsError(LACKS_SEGMENTS);
}

const readStdout = (error: unknown): string =>
  error instanceof Error && 'stdout' in error && typeof error.stdout === 'string' ? error.stdout : '';

/** When the transactions of a segment were committed. The last segment ends in the middle: that is no failure. */
async function listCommits(environment: ProgramEnvironment, folder: string, segment: string): Promise<Date[]> {
  const { args, env } = makeToolCommand(environment, 'pg_waldump', ['--rmgr=Transaction', `--path=${folder}`, segment, segment], undefined);
  const maxBuffer = 256 * 1024 ** 2;
  const output = await promisify(execFile)('pg_waldump', args, { env, maxBuffer }).then(
    ({ stdout }) => stdout,
    readStdout,
  );

  return [...output.matchAll(/ COMMIT (\d{4}-\d\d-\d\d) ([\d:.]+) UTC/g)].map(([, day, time]) => new Date(`${day}T${time}Z`));
}

async function findLastCommit(environment: ProgramEnvironment, folder: string): Promise<Date | undefined> {
  for (const segment of listSegments(await readdir(folder)).toReversed()) {
    const commits = await listCommits(environment, folder, segment);
    if (commits.length > 0) return new Date(Math.max(...commits.map((time) => time.getTime())));
  }

  return undefined;
}

/** PostgreSQL knows no abbreviation of a time zone when it reads its settings, `Z` included. */
const formatTarget = (target: Date): string => target.toISOString().replace('Z', '+00');

/**
 * PostgreSQL's own settings of a recovery. A target after the last transaction would fail, so there is none then.
 * Each is set, because the copied files may have those of an earlier recovery.
 */
const writeRecoverySettings = (target: Date | undefined): string =>
  [
    `restore_command = 'cp ${WAL_FOLDER}/%f "%p"'`,
    `recovery_target_time = '${target ? formatTarget(target) : ''}'`,
    "recovery_target_action = 'promote'",
    // It has what was erased since, and would be in each copy of the server's files.
    `recovery_end_command = 'rm -rf ${WAL_FOLDER}'`,
    '',
  ].join('\n');

async function requireEmptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) {
    throw new OpsError(`${folder} isn't empty: a moment is restored as all files of a server. In the stack remove the volume first (docs/operations/restore.md).`);
  }
}

/**
 * Restores the server's files as they were at a moment, into an empty folder: PostgreSQL that starts on it recovers
 * to the moment and is open for writing then.
 * @param at undefined: as late as the archive has it
 * @throws OpsError when the folder isn't empty, the archive doesn't have the moment, or its files are of another major of
 *   PostgreSQL; ResticError
 */
export async function restoreArchive(
  restic: Restic,
  folder: string,
  at: Date | undefined,
): Promise<RestoredArchive> {
  await requireEmptyFolder(folder);

  try {
    return await restoreFiles(restic, folder, at);
  } finally {
    // It may be in the same folder, which must be empty for the next try and is the server's then.
    await rm(restic.cacheDirectory, { recursive: true, force: true });
  }
}

async function restoreFiles(restic: Restic, folder: string, at: Date | undefined): Promise<RestoredArchive> {
  const parts = selectParts(await listSnapshots(restic), at);
  await unpack(restic, parts.base, BASE_FILE, folder);
  await requireOwnMajor(restic.programEnvironment, folder);
  await unpackLog(restic, parts, folder);
  const lastCommitAt = await findLastCommit(restic.programEnvironment, join(folder, WAL_FOLDER));
  const isBeforeEnd = at !== undefined && lastCommitAt !== undefined && lastCommitAt > at;
  await appendFile(join(folder, 'postgresql.auto.conf'), writeRecoverySettings(isBeforeEnd ? at : undefined));
  await writeFile(join(folder, 'recovery.signal'), '', { flush: true });

  return { baseAt: parts.base.time, lastCommitAt, isBeforeEnd };
}
