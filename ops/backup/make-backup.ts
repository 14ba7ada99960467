import { existsSync } from 'node:fs';
import { mkdir, open, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { ErasureLogFileError, synchronizeErasureLog } from '../../shared/node/erasure/erasure-log.ts';
import type { Config } from '../../shared/node/config/config.ts';
import { withDatabase, type Database, type Transaction } from '../../shared/node/database/database.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { readDiskSpace } from '../../shared/node/files/disk-space.ts';
import { OpsError } from '../cli/session.ts';
import {
  finishBackup,
  formatBackupName,
  getPartPath,
  removeOldBackups,
  removeLeftovers,
} from '../../shared/node/files/backup-files.ts';
import { countRows, listMissingTables, listTables, type RowCounts, type Table } from '../postgres/list-tables.ts';
import { readDumpList, requireSameMajor, runTool, type ProgramEnvironment } from '../postgres/postgres-tools.ts';

const BACKUP_LOCK = 0x6261636b;
const MEGABYTE = 1024 ** 2;
/** Maximum wait for a table lock. If a migration holds the lock for longer, the backup fails. */
const LOCK_TIMEOUT = '60s';

export type BackupSettings = Pick<Config, 'databaseUrl' | 'programEnvironment' | 'backup' | 'privacy'>;

interface BackupOptions {
  /** File to write instead of one in BACKUP_DIR. If set, no older backups are deleted. */
  readonly output?: string;
  readonly signal?: AbortSignal;
}

export interface Backup {
  readonly path: string;
  readonly createdAt: Date;
  readonly bytes: number;
  readonly sha256: string;
  /** Row counts in the backup's snapshot. */
  readonly rows: RowCounts;
  readonly removed: readonly string[];
  readonly erasureLogProblem: string | undefined;
}

const formatMegabytes = (bytes: number) => `${Math.ceil(bytes / MEGABYTE)} MB`;

/** Requires as much free space as the database takes up, an upper bound for a compressed dump. @throws OpsError */
export async function requireDiskSpace(database: Database, folder: string, purpose: 'backup' | 'rehearsal'): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ bytes: string }> }>(
    'select pg_database_size(current_database()) as bytes',
  );
  const bytes = Number(rows[0]?.bytes);
  const { free } = await readDiskSpace(folder);
  if (free < bytes) {
    throw new OpsError(
      `There is not enough disk space for a ${purpose}: ${folder} has ${formatMegabytes(free)} free, and the database is ${formatMegabytes(bytes)}.`,
    );
  }
}

/** Requires the site's tables, because backups of another database would displace the site's. @throws OpsError */
function requireSite(tables: readonly Table[]): void {
  const missing = listMissingTables(tables);
  if (missing.length > 0) {
    throw new OpsError(`The database of DATABASE_URL isn't the site's: it lacks ${missing.join(', ')}.`);
  }
}

async function requireTables(
  environment: ProgramEnvironment,
  part: string,
  tables: readonly Table[],
): Promise<void> {
  const { tables: dumped } = await readDumpList(environment, part);
  const known = new Set(dumped.map(({ schema, name }) => `${schema}.${name}`));
  const missing = tables
    .filter(({ isPlain }) => isPlain)
    .map(({ schema, name }) => `${schema}.${name}`)
    .filter((id) => !known.has(id));
  if (missing.length > 0) throw new OpsError(`The backup lacks ${missing.join(', ')}.`);
}

/** Writes and verifies the dump. Returns the row counts of its snapshot. */
async function dump(
  transaction: Transaction,
  part: string,
  { databaseUrl, programEnvironment }: BackupSettings,
  signal: AbortSignal | undefined,
): Promise<RowCounts> {
  await transaction.raw('set local idle_in_transaction_session_timeout = 0');
  const { rows } = await transaction.raw<{ rows: Array<{ id: string }> }>(
    'select pg_export_snapshot() as id',
  );
  const tables = await listTables(transaction);
  requireSite(tables);
  // pg_dump keeps the mode of an existing file.
  await (await open(part, 'w', 0o600)).close();
  await runTool(
    programEnvironment,
    'pg_dump',
    [
      '--format=custom',
      `--snapshot=${rows[0]?.id}`,
      `--lock-wait-timeout=${LOCK_TIMEOUT}`,
      `--file=${part}`,
    ],
    { databaseUrl, ...(signal && { signal }) },
  );
  await requireTables(programEnvironment, part, tables);

  return countRows(transaction, tables);
}

/** Synchronizes the erasure log, so that the backup has a complete copy. Returns a problem, which doesn't fail the backup. */
async function findErasureLogProblem(
  database: Database,
  settings: BackupSettings,
): Promise<string | undefined> {
  try {
    const { wasLost } = await synchronizeErasureLog(database, settings);

    return wasLost
      ? `The erasure log was missing from ${settings.privacy.erasuresDirectory} and is recreated from the database.`
      : undefined;
  } catch (error) {
    if (!(error instanceof ErasureLogFileError)) throw error;

    return `The erasure log in ${settings.privacy.erasuresDirectory} can't be used (${error.code}): the backup has only the database's list of erasures.`;
  }
}

async function writeBackup(
  database: Database,
  settings: BackupSettings,
  { output, signal }: BackupOptions,
): Promise<Backup> {
  const { backup } = settings;
  const createdAt = new Date();
  const path = resolve(output ?? join(backup.directory, formatBackupName(createdAt)));
  const folder = dirname(path);
  // Leftovers of killed backups may fill the disk.
  if (output === undefined && existsSync(folder)) await removeLeftovers(folder);
  await requireDiskSpace(database, folder, 'backup');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const part = getPartPath(path);
  const erasureLogProblem = await findErasureLogProblem(database, settings);

  try {
    const rows = await database.transaction(
      (transaction) => dump(transaction, part, settings, signal),
      { isolationLevel: 'repeatable read' },
    );
    const sha256 = await finishBackup(path);
    const removed = output === undefined ? await removeOldBackups(folder, backup.keep) : [];

    const { size: bytes } = await stat(path);

    return { path, createdAt, bytes, sha256, rows, removed, erasureLogProblem };
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Makes a verified backup of the whole database and deletes old ones. Returns undefined while another backup runs. */
export async function makeBackup(
  settings: BackupSettings,
  options: BackupOptions = {},
): Promise<Backup | undefined> {
  let backup: Backup | undefined;
  await withDatabase(settings.databaseUrl, 'backup', async (database) => {
    await requireSameMajor(settings.programEnvironment, 'pg_dump', database);
    await tryWithAdvisoryLock(database, BACKUP_LOCK, async () => {
      backup = await writeBackup(database, settings, options);
    });
  });

  return backup;
}
