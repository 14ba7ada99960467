import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReplicationServer } from '../../shared/node/database/replication.ts';
import { syncFolder } from '../../shared/node/files/sync-folder.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { ensureRepository, listSnapshots } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';
import { selectKind } from '../repository/snapshots.ts';
import type { ReceivedLog } from './received-log.ts';
import { measureSegments, parsePosition } from './wal-files.ts';

/*
 * A machine, or a volume of it, may be set back to a snapshot of its disk. What comes then is another history: added to
 * the log of the former one it could not be restored.
 */

/** Why a log can't go on. */
export type LogEnd = 'other-server' | 'server-set-back' | 'log-set-back' | 'later-log';

/** File in a log's folder with the number of its uploads, which each snapshot of it has as a label. */
const FILE = 'uploads';

async function readCount({ folder }: ReceivedLog): Promise<number> {
  try {
    return Number(await readFile(join(folder, FILE), 'utf8'));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return 0;
    throw error;
  }
}

/**
 * Counts an upload of a log before it begins: the repository has a higher number only once the folder was set back,
 * whenever a process is killed or the power fails.
 * @returns its number
 * @throws the file system's errors
 */
export async function countUpload(log: ReceivedLog): Promise<number> {
  const count = (await readCount(log)) + 1;
  const path = join(log.folder, FILE);
  await writeFile(`${path}.part`, String(count), { mode: 0o600, flush: true });
  await rename(`${path}.part`, path);
  await syncFolder(log.folder);

  return count;
}

/** What the repository says about a log. */
interface StoredLog {
  /** Whether it has a later upload than the folder: it was set back, and the repository has all of it. */
  readonly isNewer: boolean;
  /** Whether it has another log of the server that began later. */
  readonly hasLater: boolean;
}

/**
 * Compares a log with the repository.
 * @throws ResticError, the file system's errors
 */
async function compareWithRepository(restic: Restic, log: ReceivedLog, signal: AbortSignal): Promise<StoredLog> {
  await ensureRepository(restic, signal);
  const labels = selectKind(await listSnapshots(restic, signal), 'wal').map((snapshot) => snapshot.labels);
  // An earlier version stored without a number.
  const counts = labels.filter((one) => one['log'] === log.name).map((one) => Number(one['upload'] ?? 0));

  return {
    isNewer: Math.max(0, ...counts) > (await readCount(log)),
    hasLater: labels.some(({ log: name = '' }) => name.endsWith(`-${log.systemId}`) && name > log.name),
  };
}

/** Compares logs with the repository, each once: what is there later is of this process. */
export type CompareLog = (log: ReceivedLog, signal: AbortSignal) => Promise<StoredLog>;

export function createLogComparison(restic: Restic): CompareLog {
  const known = new Map<string, Promise<StoredLog>>();

  return async (log, signal) => {
    const comparison = known.get(log.name) ?? compareWithRepository(restic, log, signal);
    known.set(log.name, comparison);

    try {
      return await comparison;
    } catch (error) {
      known.delete(log.name);
      throw error;
    }
  };
}

/**
 * Compares the server with a log that was received from it.
 * @returns why the log can't go on; undefined when it can
 * @throws the file system's errors
 */
export async function compareWithServer(
  { systemId, walFolder }: ReceivedLog,
  server: ReplicationServer,
): Promise<LogEnd | undefined> {
  if (systemId !== server.systemId) return 'other-server';
  const received = await measureSegments(walFolder);
  if (!received) return undefined;
  const isWhole = server.timeline === received.timeline && parsePosition(server.position) >= received.end;

  return isWhole ? undefined : 'server-set-back';
}
