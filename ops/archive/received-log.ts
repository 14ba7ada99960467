import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { formatFileTime, parseFileTime } from '../../shared/time.ts';
import { listSegments } from './wal-files.ts';

/*
 * ARCHIVE_DIR has a folder for each write-ahead log that was received without a gap: one, and for a moment two, when
 * the archive begins anew. A folder is never emptied to be used again: what is being stored of it stays what it was.
 */

/** Folder with the segments, in the snapshots of a log too. */
export const WAL_FOLDER = 'wal';

/** `<beginning, by which names sort>-<the server's system identifier>` */
const NAME = /^(\d{8}T\d{9}Z)-(\d+)$/;

export interface ReceivedLog {
  /** Label of its snapshots, and of the copies of the server's files from which it leads on. */
  readonly name: string;
  readonly systemId: string;
  readonly folder: string;
  readonly walFolder: string;
}

function describeLog(archiveFolder: string, name: string): ReceivedLog {
  const folder = join(archiveFolder, name);

  return { name, systemId: NAME.exec(name)?.[2] ?? '', folder, walFolder: join(folder, WAL_FOLDER) };
}

/**
 * The logs in ARCHIVE_DIR, the newest last.
 * @throws the file system's errors
 */
export async function listLogs(archiveFolder: string): Promise<readonly ReceivedLog[]> {
  await mkdir(archiveFolder, { recursive: true, mode: 0o700 });
  const names = (await readdir(archiveFolder)).filter((name) => NAME.test(name)).sort();

  return names.map((name) => describeLog(archiveFolder, name));
}

/** When a log began, by its name. */
const getBeginning = ({ name }: ReceivedLog): number => parseFileTime(NAME.exec(name)?.[1] ?? '').getTime();

/**
 * A log that begins now, which has no folder yet.
 * @param before the newest log there is: the name sorts after it, also where it was begun by a clock that was ahead
 */
export function nameLog(archiveFolder: string, systemId: string, before: ReceivedLog | undefined): ReceivedLog {
  const beginning = new Date(before ? Math.max(Date.now(), getBeginning(before) + 1) : Date.now());

  return describeLog(archiveFolder, `${formatFileTime(beginning)}-${systemId}`);
}

/**
 * The segments of a log; none of one that was removed meanwhile.
 * @throws the file system's errors
 */
export async function readSegments({ walFolder }: ReceivedLog): Promise<readonly string[]> {
  try {
    return listSegments(await readdir(walFolder));
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
