import { constants, mkdir, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';
import { erasureSchema, type Erasure } from './erasure-store.ts';
import { syncFolder } from '../files/sync-folder.ts';

const FILE_NAME = 'erasures.ndjson';

/** The folder's list can't be read or added to; `code` is what the disk says. */
export class ErasureLogFileError extends SiteError {
  override readonly name = 'ErasureLogFileError';
  readonly code: string;

  constructor(cause: unknown) {
    super("The list of erasures can't be used.", { cause });
    this.code = getErrorCode(cause) ?? 'unknown';
  }
}

async function onDisk<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new ErasureLogFileError(error);
  }
}

/** What `work` does with the list, or undefined when there is none yet. */
async function ifThere<Result>(work: Promise<Result>): Promise<Result | undefined> {
  return work.catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}

const getPath = (directory: string): string => join(resolve(directory), FILE_NAME);

/** The folder's list as it is read. */
export interface ErasureLogFile {
  /**
   * Of the lists it is: of one, or of several where it was made anew. None in a file of the version
   * before, which has erasures alone.
   */
  readonly listIds: readonly string[];
  readonly erasures: readonly Erasure[];
  /** Lines that can't be read: each may have named somebody. */
  readonly damagedLines: number;
}

/** The line that begins a list, so that an empty one differs from none. */
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
 * The folder's list; undefined when there is none: no file, or one without a line.
 * @throws ErasureLogFileError
 */
export async function readErasureLogFile(directory: string): Promise<ErasureLogFile | undefined> {
  const text = await onDisk(() => ifThere(readFile(getPath(directory), 'utf8')));
  const filled = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  if (filled.length === 0) return undefined;
  const lines = filled.flatMap((line) => parseLine(line) ?? []);

  return {
    listIds: lines.flatMap((line) => ('erasure_list' in line ? [line.erasure_list] : [])),
    erasures: lines.flatMap((line) => ('erasure_list' in line ? [] : [line])),
    damagedLines: filled.length - lines.length,
  };
}

/**
 * Opens the folder's list, if there is one, as it is opened to be read and added to.
 * @throws ErasureLogFileError
 */
export async function checkErasureLogFile(directory: string): Promise<void> {
  await onDisk(async () => {
    const file = await ifThere(open(getPath(directory), constants.O_RDWR | constants.O_APPEND));
    await file?.close();
  });
}

/**
 * Adds to the folder's list and waits until the disk has it. Several processes may do so: each writes
 * whole lines, and begins with a line break in case that the last one was torn.
 * @param listId begins the list
 * @throws ErasureLogFileError
 */
export async function appendToErasureLogFile(
  directory: string,
  { listId, erasures }: { readonly listId?: string | undefined; readonly erasures: readonly Erasure[] },
): Promise<void> {
  const header = listId === undefined ? [] : [{ erasure_list: listId }];
  const lines = [...header, ...erasures].map((line) => JSON.stringify(line));
  if (lines.length === 0) return;

  await onDisk(async () => {
    const folder = resolve(directory);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(getPath(folder), 'a', 0o600);
    try {
      await file.appendFile(`\n${lines.join('\n')}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
  });
}
