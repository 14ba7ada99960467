import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { readHold, type DeliveryHold } from '../deliveries/delivery-hold.ts';
import {
  listErasures,
  makeErasureKeys,
  readErasureLogId,
  recordErasureLog,
  recordErasures,
  type Erasure,
} from './erasure-store.ts';
import {
  appendToErasureLogFile,
  ErasureLogFileError,
  readErasureLogFile,
  type ErasureLogFile,
} from './erasure-log-file.ts';

/*
 * The erasure log is in two places, the database and a file in ERASURES_DIR, because a restore replaces the
 * database's with an older one. A restored database is compared with the file: as long as deliveries are on
 * hold, nothing here writes to it.
 */

/** Where erasures are recorded, and with which keys. */
export interface ErasureSettings {
  readonly linkSecrets: readonly string[];
  readonly privacy: { readonly erasuresDirectory: string };
}

/** By subject, the latest of its erasures. */
export function getLatestBySubject(list: readonly Erasure[]): ReadonlyMap<string, Erasure> {
  const bySubject = new Map<string, Erasure>();
  for (const erasure of list) {
    const known = bySubject.get(erasure.subject_hash);
    if (!known || known.erased_at < erasure.erased_at) bySubject.set(erasure.subject_hash, erasure);
  }

  return bySubject;
}

/** Those of `all` that `list` doesn't have, or has with an earlier time. */
export function listMissing(all: readonly Erasure[], list: readonly Erasure[]): Erasure[] {
  const known = getLatestBySubject(list);

  return [...getLatestBySubject(all).values()].filter(
    ({ subject_hash: hash, erased_at: at }) => (known.get(hash)?.erased_at ?? 0) < at,
  );
}

/**
 * - `complete`: everybody who was erased is recognized in a restored backup; nobody, in an empty log
 * - `not-begun`: no worker has run on this database yet, and nobody was erased
 * - `missing`: there is no file although a log was started, or deliveries are on hold
 * - `foreign`: the file is the log of another installation, or of a database that is gone; or it may be,
 *   because deliveries are on hold and the database has no log yet
 * - `damaged`: lines of the file can't be parsed, a partial last one included
 * - `older`: the file lacks what the database has
 * - `unknown-keys`: complete, but entries were hashed with a secret that isn't given
 * - `unreadable`: the folder or the file can't be read
 */
export type ErasureLogStatus =
  | 'complete'
  | 'not-begun'
  | 'missing'
  | 'foreign'
  | 'damaged'
  | 'older'
  | 'unknown-keys'
  | 'unreadable';

export interface ErasureLogState {
  readonly status: ErasureLogStatus;
  /** People and requests on record, in database and file together. */
  readonly count: number;
  /** Those of them that the file lacks; of those erased during a hold it may. */
  readonly lacking: number;
  /** Those of them whose secret isn't given. */
  readonly unknown: number;
  /** Lines of the file that can't be read. */
  readonly damagedLines: number;
  /** Of the file system, where the log is unreadable. */
  readonly code?: string;
}

interface LogSources {
  readonly logId: string | undefined;
  readonly hold: DeliveryHold | undefined;
  readonly stored: readonly Erasure[];
  readonly file: ErasureLogFile | undefined;
}

const isForeign = (logId: string | undefined, { logIds }: ErasureLogFile): boolean =>
  logId !== undefined && logIds.length > 0 && !logIds.includes(logId);

function findLogProblem({ logId, hold, stored, file }: LogSources): ErasureLogStatus | undefined {
  if (!file) {
    // A database that is held may have come back: by a restore, a snapshot or archived WAL.
    const isExpected = logId !== undefined || stored.length > 0 || hold !== undefined;

    return isExpected ? 'missing' : 'not-begun';
  }
  const mayBeForeign = hold !== undefined && logId === undefined && file.logIds.length > 0;
  if (mayBeForeign || isForeign(logId, file)) return 'foreign';
  if (file.damagedLines > 0) return 'damaged';
  const isFromBefore = logId !== undefined && file.logIds.length === 0;

  return isFromBefore || listLacking(stored, file, hold).length > 0 ? 'older' : undefined;
}

/** What the file should have: who is erased during a hold may be added at its end. */
function listLacking(
  stored: readonly Erasure[],
  file: ErasureLogFile | undefined,
  hold: DeliveryHold | undefined,
): Erasure[] {
  const expected = hold ? stored.filter(({ erased_at: at }) => at <= hold.heldAt) : stored;

  return listMissing(expected, file?.erasures ?? []);
}

async function readFileOrCode(
  directory: string,
): Promise<{ readonly file: ErasureLogFile | undefined; readonly code?: string }> {
  try {
    return { file: await readErasureLogFile(directory) };
  } catch (error) {
    if (!(error instanceof ErasureLogFileError)) throw error;

    return { file: undefined, code: error.code };
  }
}

/**
 * Compares the file with the database's erasure log, and changes nothing.
 * @throws when the database can't be used
 */
export async function inspectErasureLog(
  database: Database,
  { linkSecrets, privacy }: ErasureSettings,
): Promise<ErasureLogState> {
  const { file, code } = await readFileOrCode(privacy.erasuresDirectory);
  const stored = await listErasures(database);
  const hold = await readHold(database);
  const all = [...getLatestBySubject([...stored, ...(file?.erasures ?? [])]).values()];
  const keyIds = new Set(makeErasureKeys(linkSecrets).map(({ id }) => id));
  const unknown = all.filter(({ key_id: id }) => !keyIds.has(id)).length;
  const state = {
    count: all.length,
    lacking: listLacking(stored, file, hold).length,
    unknown,
    damagedLines: file?.damagedLines ?? 0,
  };
  if (code !== undefined) return { ...state, status: 'unreadable', code };
  const problem = findLogProblem({
    logId: await readErasureLogId(database),
    hold,
    stored,
    file,
  });

  return { ...state, status: problem ?? (unknown > 0 ? 'unknown-keys' : 'complete') };
}

/**
 * Records in the database what only the file has. During a hold another installation's file is ignored, or
 * the right one would lack what is in it. Where the database has no log yet the file is used: it may be the
 * right one, and nobody else's hashes match.
 * @returns what was added
 * @throws ErasureLogFileError
 */
export async function recordFiledErasures(
  database: Database,
  { privacy }: Pick<ErasureSettings, 'privacy'>,
): Promise<readonly Erasure[]> {
  const file = await readErasureLogFile(privacy.erasuresDirectory);
  if (!file) return [];
  if ((await readHold(database)) && isForeign(await readErasureLogId(database), file)) return [];
  const added = listMissing(file.erasures, await listErasures(database));
  await recordErasures(database, added);

  return added;
}

/**
 * Creates the file where there is none, and appends what only the database has. Does nothing while
 * deliveries are on hold: what is missing after a restore must stay visible.
 * @returns `wasLost` when a log had been started and the file didn't have it
 * @throws ErasureLogFileError
 */
export async function completeErasureLogFile(
  database: Database,
  { privacy }: Pick<ErasureSettings, 'privacy'>,
): Promise<{ readonly wasLost: boolean }> {
  if (await readHold(database)) return { wasLost: false };
  const file = await readErasureLogFile(privacy.erasuresDirectory);
  const startedId = await readErasureLogId(database);
  const logId =
    startedId ?? (await recordErasureLog(database, file?.logIds.at(-1) ?? randomUUID()));
  const isIn = file?.logIds.includes(logId) ?? false;
  await appendToErasureLogFile(privacy.erasuresDirectory, {
    logId: isIn ? undefined : logId,
    erasures: listMissing(await listErasures(database), file?.erasures ?? []),
  });

  return { wasLost: startedId !== undefined && !isIn };
}
