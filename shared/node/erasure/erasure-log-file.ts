import { appendFile, constants, mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import * as v from 'valibot';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';
import { erasureSchema, type Erasure } from './erasure-store.ts';
import { syncFolder } from '../files/sync-folder.ts';

const FILE_NAME = 'erasures.ndjson';

/** The erasure log file can't be read or appended to; `code` is the file system's, and in the message with the path. */
export class ErasureLogFileError extends SiteError {
  override readonly name = 'ErasureLogFileError';
  readonly code: string;

  constructor(path: string, cause: unknown) {
    const code = getErrorCode(cause) ?? 'unknown';
    super(`The erasure log ${path} can't be used (${code}).`, { cause });
    this.code = code;
  }
}

/** Runs `work` with the path of the file in a folder. */
async function onDisk<Result>(directory: string, work: (path: string) => Promise<Result>): Promise<Result> {
  const path = getErasureLogPath(directory);

  try {
    return await work(path);
  } catch (error) {
    throw new ErasureLogFileError(path, error);
  }
}

/** The result of `work` with the file, or undefined when there is none. */
async function ifExists<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

/** The file in ERASURES_DIR. */
export const getErasureLogPath = (directory: string): string => join(resolve(directory), FILE_NAME);

/** The content of the file. */
export interface ErasureLogFile {
  /**
   * Ids of the erasure logs it holds: one, or several where it was recreated. None if somebody was erased
   * before a worker started.
   */
  readonly logIds: readonly string[];
  readonly erasures: readonly Erasure[];
  /** Lines that can't be parsed: each may be about somebody. */
  readonly damagedLines: number;
}

/** The first line of a log, so that an empty one differs from none. */
const headerSchema = v.object({ erasure_list: v.pipe(v.string(), v.uuid()) });

const lineSchema = v.union([erasureSchema, headerSchema]);

function parseLine(line: string): v.InferOutput<typeof lineSchema> | undefined {
  try {
    const result = v.safeParse(lineSchema, JSON.parse(line));

    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the file; undefined when there is none, or one without a line.
 * @throws ErasureLogFileError
 */
export async function readErasureLogFile(directory: string): Promise<ErasureLogFile | undefined> {
  const text = await onDisk(directory, (path) => ifExists(readFile(path, 'utf8')));
  const filled = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  if (filled.length === 0) return undefined;
  const lines = filled.flatMap((line) => parseLine(line) ?? []);

  return {
    logIds: lines.flatMap((line) => ('erasure_list' in line ? [line.erasure_list] : [])),
    erasures: lines.flatMap((line) => ('erasure_list' in line ? [] : [line])),
    damagedLines: filled.length - lines.length,
  };
}

/**
 * Opens the file, if there is one, for reading and appending.
 * @throws ErasureLogFileError
 */
export async function checkErasureLogFile(directory: string): Promise<void> {
  await onDisk(directory, async (path) => {
    const file = await ifExists(open(path, constants.O_RDWR | constants.O_APPEND));
    await file?.close();
  });
}

/**
 * Appends to the file and waits until it is on disk. Several processes may do so: each writes whole lines
 * and starts with a line break in case the last one is partial.
 * @param logId starts a log
 * @throws ErasureLogFileError
 */
export async function appendToErasureLogFile(
  directory: string,
  { logId, erasures }: { readonly logId?: string | undefined; readonly erasures: readonly Erasure[] },
): Promise<void> {
  const header = logId === undefined ? [] : [{ erasure_list: logId }];
  const lines = [...header, ...erasures].map((line) => JSON.stringify(line));
  if (lines.length === 0) return;

  await onDisk(directory, async (path) => {
    const folder = dirname(path);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await appendFile(path, `\n${lines.join('\n')}\n`, { mode: 0o600, flush: true });
    await syncFolder(folder);
  });
}
