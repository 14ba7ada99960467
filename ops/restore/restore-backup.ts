import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { HOLD_TABLE } from '../../shared/node/deliveries/delivery-hold.ts';
import { OpsError } from '../cli/session.ts';
import { countRows, listTables, type RowCounts } from '../postgres/list-tables.ts';
import { requireSameMajor, runTool } from '../postgres/postgres-tools.ts';
import { emptyDatabase } from './empty-database.ts';
import { readBackup } from './read-backup.ts';

type RestoreSettings = Pick<Config, 'databaseUrl' | 'programEnvironment'>;

/** A restored backup. */
interface Restored {
  /** When the backup was made. */
  readonly backupAt: Date;
  readonly rows: RowCounts;
}

/** The hold is this restore's, not one of the time the backup was made. */
const isOfHold = (entry: string): boolean =>
  new RegExp(` public (?:TABLE )?${HOLD_TABLE}(?: |$)`).test(entry);

/** Runs `work` with a temporary file that lists the entries to restore. */
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
    throw new OpsError(`${error.message}\nNothing is restored; the database is as empty as before.`);
  }
}

/**
 * Restores a backup into an empty database, all of it or nothing. Deliveries are held from before the
 * restore until an operator releases them. The connecting role owns what is restored; the migrations
 * have to run next.
 * @throws OpsError for everything that `readBackup`, `emptyDatabase` and the tools refuse; the
 *   database is empty then, or unchanged; the signal's reason
 */
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
