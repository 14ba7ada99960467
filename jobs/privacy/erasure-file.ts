import { constants, mkdir, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { SiteError } from '../../shared/node/describe-error.ts';
import { getErrorCode } from '../../shared/node/error-code.ts';
import { erasureSchema, type Erasure } from '../../shared/node/privacy/erasure-store.ts';
import { syncFolder } from '../sync-folder.ts';

const FILE_NAME = 'erasures.ndjson';

/** The folder's list can't be read or added to; `code` is what the disk says. */
export class ErasureFileError extends SiteError {
  override readonly name = 'ErasureFileError';
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
    throw new ErasureFileError(error);
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

/** A line that a crash has torn says nothing. */
function parseLine(line: string): Erasure | undefined {
  try {
    const result = v.safeParse(erasureSchema, JSON.parse(line));

    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Every erasure in the folder's list; none when there is no list yet.
 * @throws ErasureFileError
 */
export async function readErasureFile(directory: string): Promise<Erasure[]> {
  const text = await onDisk(() => ifThere(readFile(getPath(directory), 'utf8')));

  return (text ?? '')
    .split('\n')
    .map(parseLine)
    .filter((erasure) => erasure !== undefined);
}

/**
 * Opens the folder's list, if there is one, as it is opened to be read and added to.
 * @throws ErasureFileError
 */
export async function tryErasureFile(directory: string): Promise<void> {
  await onDisk(async () => {
    const file = await ifThere(open(getPath(directory), constants.O_RDWR | constants.O_APPEND));
    await file?.close();
  });
}

/**
 * Adds erasures to the folder's list and waits until the disk has them. Several processes may do
 * so: each writes whole lines, and begins with a line break in case that the last one was torn.
 * @throws ErasureFileError
 */
export async function appendToErasureFile(
  directory: string,
  erasures: readonly Erasure[],
): Promise<void> {
  if (erasures.length === 0) return;
  const lines = erasures.map((erasure) => JSON.stringify(erasure)).join('\n');

  await onDisk(async () => {
    const folder = resolve(directory);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(getPath(folder), 'a', 0o600);
    try {
      await file.appendFile(`\n${lines}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await syncFolder(folder);
  });
}
