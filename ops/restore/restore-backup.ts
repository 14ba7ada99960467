import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database, Transaction } from '../../shared/node/database/database.ts';
import { NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { createHoldTable, holdDeliveries, HOLD_TABLE } from '../../shared/node/deliveries/delivery-hold.ts';
import { ERASURE_LIST } from '../../shared/node/erasure/erasure-store.ts';
import { getHashPath, hashFile, readHash } from '../../shared/node/files/backup-files.ts';
import { OpsError } from '../cli/session.ts';
import { countRows, listMissingTables, listTables, type RowCounts, type Table } from '../postgres/list-tables.ts';
import { readDumpList, requireSameMajor, runTool, type DumpList, type ProgramEnvironment } from '../postgres/postgres-tools.ts';

async function requireHash(file: string): Promise<void> {
  await access(file);
  const expected = await readHash(file);
  if (expected === undefined) {
    throw new OpsError(
      `${getHashPath(file)} is missing or contains no hash: copy it from where the backup was made. If you trust the backup without it, run in its folder: sha256sum FILE > FILE.sha256`,
    );
  }
  if (expected !== (await hashFile(file))) {
    throw new OpsError(
      `${file} is damaged: its SHA-256 differs from the one in the file beside it. Use another copy or another backup.`,
    );
  }
}

async function listDumpedMigrations(environment: ProgramEnvironment, file: string): Promise<string[]> {
  const sql = await runTool(environment, 'pg_restore', [
    ...['--data-only', '--schema=public', '--table=knex_migrations', '--file=-', file],
  ]);

  return [...sql.matchAll(/^\d+\t([^\t\n]+)\t/gm)].map(([, name = '']) => name);
}

async function requireKnownVersion(environment: ProgramEnvironment, file: string): Promise<void> {
  const newer = (await listDumpedMigrations(environment, file)).filter((name) => name > NEWEST_MIGRATION);
  if (newer.length > 0) {
    throw new OpsError(
      `The backup is from a newer version of the site (its database has ${newer.join(', ')}): restore it with that version.`,
    );
  }
}

/** Returns the contents of a valid backup. @throws OpsError if it is damaged, not the site's, or newer than site or server */
export async function readBackup(
  environment: ProgramEnvironment,
  file: string,
  major: number,
): Promise<DumpList> {
  await requireHash(file);
  const list = await readDumpList(environment, file);
  if (list.serverMajor > major) {
    throw new OpsError(
      `The backup is from PostgreSQL ${list.serverMajor}, but the server is PostgreSQL ${major}. Restore it to ${list.serverMajor} or newer.`,
    );
  }
  const missing = listMissingTables(list.tables);
  if (missing.length > 0) {
    throw new OpsError(`${file} is not a backup of this site: it lacks ${missing.join(', ')}.`);
  }
  await requireKnownVersion(environment, file);

  return list;
}

/** Tables that have rows in a database without data, because migrations or a starting worker fill them. */
const SEEDED_TABLES = new Set([
  'alerts',
  'delivery_pauses',
  'form_trial',
  'knex_migrations',
  'knex_migrations_lock',
  HOLD_TABLE,
  ERASURE_LIST,
]);

export const siteTables: readonly string[] = [
  'contact_submissions',
  'deliveries',
  'erasures',
  'held_mails',
  'newsletter_subscriptions',
  'reports',
  'sales_rotation',
  'submission_events',
  ...SEEDED_TABLES,
];

const HOW_TO_EMPTY =
  'A backup can only be restored into an empty database. Create one (`create database`) and set DATABASE_URL to it; in the stack see docs/operations/restore.md.';

/** Requires that no other program is connected, because it could write to replaced tables. @throws OpsError with their names */
async function requireNoOtherConnections(database: Database): Promise<void> {
  const { rows } = await database.raw<{ rows: Array<{ name: string | null }> }>(`
    select distinct application_name as name from pg_stat_activity
    where datname = current_database() and usesysid is not null
      and application_name is distinct from 'ops' and pid <> pg_backend_pid()
  `);
  if (rows.length === 0) return;
  const names = rows.map(({ name }) => name || 'without application_name').join(', ');
  throw new OpsError(
    `Other programs are connected to the database (${names}). Stop web, worker and backup, and try again.`,
  );
}

function requireOnlySiteTables(tables: readonly Table[]): void {
  const others = tables.filter(
    ({ schema, name }) => schema !== 'public' || !siteTables.includes(name),
  );
  if (others.length === 0) return;
  const names = others.map(({ schema, name }) => `${schema}.${name}`).join(', ');
  throw new OpsError(`The database has other tables (${names}). ${HOW_TO_EMPTY}`);
}

async function requireNoRows(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  const counts = await countRows(transaction, tables);
  const filled = Object.keys(counts).filter(
    (name) => counts[name] !== 0 && !SEEDED_TABLES.has(name),
  );
  if (filled.length === 0) return;
  throw new OpsError(`The database isn't empty (${filled.join(', ')}). ${HOW_TO_EMPTY}`);
}

async function dropTables(transaction: Transaction, tables: readonly Table[]): Promise<void> {
  const own = tables.filter(({ name }) => name !== HOLD_TABLE);
  for (const { name } of own) await transaction.raw('drop table ?? cascade', [name]);
}

/** Drops empty tables and begins the hold, in one transaction. @throws OpsError if a table has rows or isn't the site's */
async function emptyDatabase(database: Database, backupAt: Date): Promise<void> {
  await requireNoOtherConnections(database);
  await database.transaction(async (transaction) => {
    const tables = await listTables(transaction);
    requireOnlySiteTables(tables);
    if (tables.length > 0) {
      const names = tables.map(() => '??').join(', ');
      await transaction.raw(`lock table ${names} in access exclusive mode`, tables.map(({ name }) => name));
    }
    await requireNoRows(transaction, tables);
    await dropTables(transaction, tables);
    await createHoldTable(transaction);
    await holdDeliveries(transaction, backupAt);
  });
}

type RestoreSettings = Pick<Config, 'databaseUrl' | 'programEnvironment'>;

interface Restored {
  readonly backupAt: Date;
  readonly rows: RowCounts;
}

/** Returns whether an entry belongs to the hold table, which the restore creates itself. */
const isOfHold = (entry: string): boolean =>
  new RegExp(` public (?:TABLE )?${HOLD_TABLE}(?: |$)`).test(entry);

async function withListFile(
  entries: readonly string[],
  work: (path: string) => Promise<unknown>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'restore-'));

  try {
    const path = join(folder, 'list');
    await writeFile(path, `${entries.join('\n')}\n`);
    await work(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function runRestore(
  { databaseUrl, programEnvironment }: RestoreSettings,
  list: string,
  file: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const args = ['--single-transaction', '--exit-on-error', '--no-owner', '--no-privileges'];

  try {
    await runTool(programEnvironment, 'pg_restore', [...args, `--use-list=${list}`, file], { databaseUrl, ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof OpsError)) throw error;
    throw new OpsError(`${error.message}\nNothing was restored, and the database is still empty.`);
  }
}

/** Restores a backup into an empty database, in one transaction, with deliveries on hold. Run the migrations next. */
export async function restoreBackup(
  { config, database }: { readonly config: RestoreSettings; readonly database: Database },
  file: string,
  signal?: AbortSignal,
): Promise<Restored> {
  const { programEnvironment } = config;
  const major = await requireSameMajor(programEnvironment, 'pg_restore', database);
  const { createdAt: backupAt, entries } = await readBackup(programEnvironment, file, major);
  await emptyDatabase(database, backupAt);

  const wanted = entries.filter((entry) => !isOfHold(entry));
  await withListFile(wanted, (list) => runRestore(config, list, file, signal));

  return { backupAt, rows: await countRows(database, await listTables(database)) };
}
