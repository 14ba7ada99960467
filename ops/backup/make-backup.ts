import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ErasureLogFileError } from '../../shared/node/erasure/erasure-log-file.ts';
import { completeErasureLogFile, recordFiledErasures } from '../../shared/node/erasure/erasure-log.ts';
import type { Config } from '../../shared/node/config/config.ts';
import {
  createDatabase,
  batchTimeouts,
  type Database,
  type Transaction,
} from '../../shared/node/database/database.ts';
import { ERASURE_LIST } from '../../shared/node/erasure/erasure-store.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { readDiskSpace } from './disk-space.ts';
import { OpsError } from '../cli/session.ts';
import {
  finishBackup,
  getPartPath,
  makeBackupName,
  removeOldBackups,
  removeParts,
} from './backup-files.ts';
import { readDumpList } from './dump-list.ts';
import { countRows, listTables, type RowCounts, type Table } from './list-tables.ts';
import { requireSameMajor, runTool } from './postgres-tools.ts';

/** Any number, the same for all; spells 'back'. */
const BACKUP_LOCK = 0x6261636b;
const MEGABYTE = 1024 ** 2;
/** A migration that holds a table longer makes the backup fail instead of waiting for ever. */
const LOCK_TIMEOUT = '60s';

export type BackupSettings = Pick<Config, 'databaseUrl' | 'backup' | 'privacy'>;

export interface BackupOptions {
  /** A file of one's own, instead of one in the folder of backups; older ones are then left alone. */
  readonly output?: string;
  readonly signal?: AbortSignal;
}

/** A backup that was made and verified. */
export interface Backup {
  readonly path: string;
  readonly createdAt: Date;
  readonly bytes: number;
  readonly sha256: string;
  /** As they are in it. */
  readonly rows: RowCounts;
  /** Older ones that were deleted. */
  readonly removed: readonly string[];
  /** What was wrong with the list of erasures in the folder; undefined when nothing was. */
  readonly erasuresFault: string | undefined;
}

const formatMegabytes = (bytes: number) => `${Math.ceil(bytes / MEGABYTE)} MB`;

/** A dump is smaller than the database, which is compressed in it: it has room for all of it. */
async function requireRoom(database: Database, folder: string): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ bytes: string }> }>(
    'select pg_database_size(current_database()) as bytes',
  );
  const bytes = Number(rows[0]?.bytes);
  const { free } = await readDiskSpace(folder);
  if (free < bytes) {
    throw new OpsError(
      `There is no room for a backup: ${folder} has ${formatMegabytes(free)} free, the database has ${formatMegabytes(bytes)}.`,
    );
  }
}

async function requireTables(part: string, tables: readonly Table[]): Promise<void> {
  const { tables: dumped } = await readDumpList(part);
  const known = new Set(dumped.map(({ schema, name }) => `${schema}.${name}`));
  const missing = tables
    .filter(({ isPlain }) => isPlain)
    .map(({ schema, name }) => `${schema}.${name}`)
    .filter((id) => !known.has(id));
  if (missing.length > 0) throw new OpsError(`The backup lacks ${missing.join(', ')}.`);
}

/** Writes and verifies the part; answers the rows of the same instant. */
async function dump(
  transaction: Transaction,
  part: string,
  { databaseUrl, signal }: { readonly databaseUrl: string; readonly signal: AbortSignal | undefined },
): Promise<RowCounts> {
  await transaction.raw('set local idle_in_transaction_session_timeout = 0');
  const { rows } = await transaction.raw<{ rows: Array<{ id: string }> }>(
    'select pg_export_snapshot() as id',
  );
  const tables = await listTables(transaction);
  // pg_dump writes into the file that is there, so nobody else can ever read it.
  await (await open(part, 'w', 0o600)).close();
  await runTool(
    'pg_dump',
    [
      '--format=custom',
      `--snapshot=${rows[0]?.id}`,
      `--lock-wait-timeout=${LOCK_TIMEOUT}`,
      `--file=${part}`,
    ],
    { databaseUrl, ...(signal && { signal }) },
  );
  await requireTables(part, tables);

  return countRows(transaction, tables);
}

/**
 * Brings the list of erasures in the folder and the database's to the same state, so that the backup
 * carries a copy of it. One of a schema without that list, before the migrations, has its own alone.
 * @returns what was wrong with the folder: that must not cost the backup
 */
async function includeErasures(
  database: Database,
  settings: BackupSettings,
): Promise<string | undefined> {
  if (!(await database.schema.hasTable(ERASURE_LIST))) return undefined;
  try {
    await recordFiledErasures(database, settings);
    const { wasLost } = await completeErasureLogFile(database, settings);

    return wasLost
      ? `The list of erased people was lost from ${settings.privacy.erasuresDirectory}; it is made anew from the database.`
      : undefined;
  } catch (error) {
    if (!(error instanceof ErasureLogFileError)) throw error;

    return `The list of erased people in ${settings.privacy.erasuresDirectory} can't be used (${error.code}): the backup has the database's own.`;
  }
}

async function writeBackup(
  database: Database,
  settings: BackupSettings,
  { output, signal }: BackupOptions,
): Promise<Backup> {
  const { databaseUrl, backup } = settings;
  const createdAt = new Date();
  const path = resolve(output ?? join(backup.directory, makeBackupName(createdAt)));
  const folder = dirname(path);
  await requireRoom(database, folder);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (output === undefined) await removeParts(folder);
  const part = getPartPath(path);
  const erasuresFault = await includeErasures(database, settings);

  try {
    const rows = await database.transaction(
      (transaction) => dump(transaction, part, { databaseUrl, signal }),
      { isolationLevel: 'repeatable read' },
    );
    const sha256 = await finishBackup(path);
    const removed = output === undefined ? await removeOldBackups(folder, backup.keep) : [];

    const { size: bytes } = await stat(path);

    return { path, createdAt, bytes, sha256, rows, removed, erasuresFault };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/**
 * Makes a backup of the whole database, as it is at one instant, and verifies it. Only then are old
 * ones deleted.
 * @returns undefined when another one is being made
 * @throws OpsError when there is no room, when the tools are missing or of another major than the
 *   server, or when they fail; and when the database or the folder can't be used
 */
export async function makeBackup(
  settings: BackupSettings,
  options: BackupOptions = {},
): Promise<Backup | undefined> {
  const database = createDatabase(settings.databaseUrl, 'backup', batchTimeouts);
  let made: Backup | undefined;

  try {
    await requireSameMajor('pg_dump', database);
    await tryWithAdvisoryLock(database, BACKUP_LOCK, async () => {
      made = await writeBackup(database, settings, options);
    });

    return made;
  } finally {
    await database.destroy();
  }
}
