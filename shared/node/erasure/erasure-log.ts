import { appendFile, constants, mkdir, open, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as v from 'valibot';
import { formatCount } from '../../format-count.ts';
import type { Database } from '../database/database.ts';
import { readHold, type DeliveryHold } from '../deliveries/delivery-hold.ts';
import { syncFolder } from '../files/sync-folder.ts';
import { getErrorCode, SiteError } from '../logging/describe-error.ts';
import {
  ensureErasureLogId,
  erasureSchema,
  listErasures,
  listMissing,
  makeErasureKeys,
  readErasureLogId,
  recordErasures,
  type Erasure,
} from './erasure-store.ts';

/*
 * The erasure log is stored in the database and in a file in ERASURES_DIR, because a restore replaces the database.
 * The two aren't merged during a hold, so that lines missing from the file stay visible.
 */

export interface ErasureSettings {
  readonly linkSecrets: readonly string[];
  readonly privacy: { readonly erasuresDirectory: string };
}

interface ErasureLog {
  /** Each log has an id that distinguishes an empty log from a missing or foreign one. */
  readonly logIds: readonly string[];
  readonly erasures: readonly Erasure[];
}

const startSchema = v.object({ erasure_list: v.pipe(v.string(), v.uuid()) });
const lineSchema = v.union([erasureSchema, startSchema]);
type Line = v.InferOutput<typeof lineSchema>;

const listMissingLines = (log: ErasureLog, other: ErasureLog): readonly Line[] => [
  ...log.logIds.filter((id) => !other.logIds.includes(id)).map((id) => ({ erasure_list: id })),
  ...listMissing(log.erasures, other.erasures),
];

/** Thrown if the erasure log file can't be read or written. `code` is the file system's error code. */
export class ErasureLogFileError extends SiteError {
  override readonly name = 'ErasureLogFileError';
  readonly code: string;

  constructor(path: string, cause: unknown) {
    const code = getErrorCode(cause) ?? 'unknown';
    super(`The erasure log ${path} can't be used (${code}).`, { cause });
    this.code = code;
  }
}

export const getErasureLogPath = (directory: string): string => join(resolve(directory), 'erasures.ndjson');

async function withErasureLogFile<Result>(directory: string, work: (path: string) => Promise<Result>): Promise<Result> {
  const path = getErasureLogPath(directory);

  return work(path).catch((error: unknown) => {
    throw new ErasureLogFileError(path, error);
  });
}

function ignoreMissing(error: unknown): undefined {
  if (getErrorCode(error) !== 'ENOENT') throw error;
}

function parseLine(text: string): Line | undefined {
  try {
    return v.parse(lineSchema, JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The log in the file; empty if there is no file. */
export interface ErasureLogFile extends ErasureLog {
  /** Number of lines that can't be parsed. Each may be an erasure. */
  readonly damagedLines: number;
}

/** Reads the log file. @throws ErasureLogFileError */
export async function readErasureLogFile(directory: string): Promise<ErasureLogFile> {
  const text = await withErasureLogFile(directory, (path) => readFile(path, 'utf8').catch(ignoreMissing));
  const filled = (text ?? '').split('\n').filter((line) => line.trim() !== '');
  const lines = filled.flatMap((line) => parseLine(line) ?? []);

  return {
    logIds: lines.flatMap((line) => ('erasure_list' in line ? [line.erasure_list] : [])),
    erasures: lines.flatMap((line) => ('erasure_list' in line ? [] : [line])),
    damagedLines: filled.length - lines.length,
  };
}

/** Checks that the file can be read and appended to, if it exists. @throws ErasureLogFileError */
export async function checkErasureLogFile(directory: string): Promise<void> {
  await withErasureLogFile(directory, async (path) => {
    const file = await open(path, constants.O_RDWR | constants.O_APPEND).catch(ignoreMissing);
    await file?.close();
  });
}

/** Appends missing lines to the file and syncs it. Writes a line break first, in case the last line is incomplete. */
export async function appendToErasureLogFile(directory: string, log: ErasureLog): Promise<void> {
  const missing = listMissingLines(log, await readErasureLogFile(directory)).map((line) => JSON.stringify(line));
  if (missing.length === 0) return;

  await withErasureLogFile(directory, async (path) => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await appendFile(path, `\n${missing.join('\n')}\n`, { mode: 0o600, flush: true });
    await syncFolder(directory);
  });
}

async function readStoredLog(database: Database): Promise<ErasureLog> {
  const id = await readErasureLogId(database);

  return { logIds: id === undefined ? [] : [id], erasures: await listErasures(database) };
}

/**
 * Merges the logs in the file and the database, and starts a log if there is none. Does nothing during a hold.
 * @returns `wasLost`: whether the database's log was missing from the file
 */
export async function synchronizeErasureLog(
  database: Database,
  { privacy: { erasuresDirectory: directory } }: Pick<ErasureSettings, 'privacy'>,
): Promise<{ readonly wasLost: boolean }> {
  if (await readHold(database)) return { wasLost: false };
  const file = await readErasureLogFile(directory);
  const stored = await readStoredLog(database);
  const wasLost = stored.logIds.some((id) => !file.logIds.includes(id));
  await ensureErasureLogId(database);
  await recordErasures(database, listMissing(file.erasures, stored.erasures));
  await appendToErasureLogFile(directory, await readStoredLog(database));

  return { wasLost };
}

/** `incomplete`: the file is missing, damaged, foreign or lacks lines. `unknown-keys`: a hash's secret is missing. */
type ErasureLogStatus = 'complete' | 'incomplete' | 'unknown-keys';

interface ErasureLogState {
  readonly status: ErasureLogStatus;
  /** Number of erasures in the database and the file together. */
  readonly count: number;
  /** The problem and its fix; undefined if the log is complete. */
  readonly problem: string | undefined;
}

/** Counts the lines that the file lacks or may lack. */
function countMissingLines(stored: ErasureLog, file: ErasureLog, hold: DeliveryHold | undefined): number {
  if (!hold) return listMissingLines(stored, file).length;
  // Ending the hold adds the erasures that were recorded during it.
  const erasures = stored.erasures.filter(({ erased_at: at }) => at <= hold.heldAt);
  // The backup may be older than the log, so the file can't be identified as this database's.
  const unknownStart = stored.logIds.length === 0 ? 1 : 0;

  return listMissingLines({ ...stored, erasures }, file).length + unknownStart;
}

function findDefect({ damagedLines }: ErasureLogFile, missingLines: number): string | undefined {
  if (missingLines > 0) return `it lacks ${formatCount(missingLines, 'line')}`;

  return damagedLines > 0 ? `${damagedLines} of its lines can't be read` : undefined;
}

/** Compares the file with the database's erasure log. Changes nothing. */
export async function inspectErasureLog(
  database: Database,
  { linkSecrets, privacy: { erasuresDirectory: directory } }: ErasureSettings,
): Promise<ErasureLogState> {
  const stored = await readStoredLog(database);
  const hold = await readHold(database);
  const file = await readErasureLogFile(directory).catch((error: unknown) => {
    if (error instanceof ErasureLogFileError) return error;
    throw error;
  });
  const all = listMissing([...stored.erasures, ...('erasures' in file ? file.erasures : [])], []);
  const count = all.length;
  const defect = 'erasures' in file ? findDefect(file, countMissingLines(stored, file, hold)) : `it can't be used (${file.code})`;
  if (defect !== undefined) {
    const problem =
      `The erasure log in ${directory} is missing, or older than the database: ${defect}. ` +
      'Restore its newest copy (in the stack: the volume erasures).';

    return { status: 'incomplete', count, problem };
  }
  const keyIds = new Set(makeErasureKeys(linkSecrets).map(({ id }) => id));
  const unknown = all.filter(({ key_id: id }) => !keyIds.has(id)).length;
  if (unknown === 0) return { status: 'complete', count, problem: undefined };
  const problem =
    `The secret of ${unknown} of ${count} erasures is missing, so a restored backup would contain these people again: ` +
    'add the old secret to the end of COOKIE_SECRET.';

  return { status: 'unknown-keys', count, problem };
}
