import { mkdir, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { getErrorCode } from '../../shared/node/error-code.ts';
import { erasureSchema, type Erasure } from '../../shared/node/privacy/erasure-store.ts';
import { syncFolder } from '../sync-folder.ts';

const FILE_NAME = 'erasures.ndjson';

/** A line that a crash has torn says nothing. */
function parseLine(line: string): Erasure | undefined {
  try {
    const result = v.safeParse(erasureSchema, JSON.parse(line));

    return result.success ? result.output : undefined;
  } catch {
    return undefined;
  }
}

/** Every erasure in the folder's list; none when there is no list yet. */
export async function readErasureFile(directory: string): Promise<Erasure[]> {
  const text = await readFile(join(resolve(directory), FILE_NAME), 'utf8').catch((error: unknown) => {
    if (getErrorCode(error) === 'ENOENT') return '';
    throw error;
  });

  return text
    .split('\n')
    .map(parseLine)
    .filter((erasure) => erasure !== undefined);
}

/**
 * Adds erasures to the folder's list and waits until the disk has them. Several processes may do
 * so: each writes whole lines, and begins with a line break in case that the last one was torn.
 */
export async function appendToErasureFile(
  directory: string,
  erasures: readonly Erasure[],
): Promise<void> {
  if (erasures.length === 0) return;
  const folder = resolve(directory);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = await open(join(folder, FILE_NAME), 'a', 0o600);

  try {
    await file.appendFile(`\n${erasures.map((erasure) => JSON.stringify(erasure)).join('\n')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(folder);
}
