import { basename } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import { tryWithAdvisoryLock } from '../../shared/node/database/advisory-lock.ts';
import { withDatabase } from '../../shared/node/database/database.ts';
import { recordRehearsal } from '../../shared/node/files/backup-records.ts';
import { describeError } from '../../shared/node/logging/describe-error.ts';
import { Hour } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import type { RowCounts } from '../postgres/list-tables.ts';
import { fetchBackup, withTemporaryFolder } from '../repository/fetch-backup.ts';
import { findRepository, requireSnapshots, type RepositorySettings } from '../repository/repository.ts';
import { restoreBackup } from '../restore/restore-backup.ts';
import { requireDiskSpace } from './make-backup.ts';

/** A restore puts deliveries on hold, so this table differs afterwards. */
const UNCOMPARED_TABLE = 'delivery_hold';

export type RehearsalSettings = RepositorySettings & Pick<Config, 'databaseUrl' | 'roles'>;

interface RehearsedBackup {
  readonly path: string;
  readonly rows: RowCounts;
}

const LOCK = 0x72686561;
/** A repository that hangs must not block the next day's backup. */
const TIMEOUT = 6 * Hour;

/** Returns the server's URL for a role that may create databases: the superuser, if one is set. */
const getAdminUrl = ({ databaseUrl, roles }: RehearsalSettings) => roles.adminUrl ?? databaseUrl;

/** Returns whether the role may create the rehearsal database. */
export async function canRehearse(settings: RehearsalSettings): Promise<boolean> {
  return withDatabase(getAdminUrl(settings), 'ops', async (database) => {
    const { rows } = await database.raw<{ rows: Array<{ may: boolean }> }>(
      'select rolsuper or rolcreatedb as may from pg_roles where rolname = current_user',
    );

    return rows[0]?.may === true;
  });
}

/** Runs `work` with an empty database that the site's role owns and nobody else may connect to. Drops it at the end. */
async function withRehearsalDatabase(settings: RehearsalSettings, work: (url: string) => Promise<void>): Promise<void> {
  const url = new URL(settings.databaseUrl);
  const name = `rehearsal_${decodeURIComponent(url.pathname.slice(1))}`;
  const owner = decodeURIComponent(url.username);
  url.pathname = `/${encodeURIComponent(name)}`;

  await withDatabase(getAdminUrl(settings), 'ops', async (admin) => {
    const drop = () => admin.raw('drop database if exists ?? with (force)', [name]);
    // A killed rehearsal may have left it behind.
    await drop();
    await admin.raw('create database ?? owner ?? template template0', [name, owner]);
    await admin.raw('revoke all on database ?? from public', [name]);
    await work(url.href).catch(async (error: unknown) => {
      // Report the failure. The next rehearsal cleans up leftovers.
      await drop().catch(() => undefined);
      throw error;
    });
    await drop();
  });
}

function requireSameRows(expected: RowCounts, restored: RowCounts): void {
  const names = new Set([...Object.keys(expected), ...Object.keys(restored)]);
  names.delete(UNCOMPARED_TABLE);
  const differences = [...names]
    .filter((name) => expected[name] !== restored[name])
    .map((name) => `${name} has ${restored[name] ?? 'no table'} instead of ${expected[name] ?? 'none'}`);
  if (differences.length > 0) throw new OpsError(`The restored backup differs: ${differences.join(', ')}.`);
}

/** Runs `work` with the repository's copy of a backup, or with the local file if there is no repository. */
async function withStoredBackup(
  settings: RehearsalSettings,
  path: string,
  work: (path: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const restic = findRepository(settings);
  if (!restic) return work(path);
  const snapshots = await requireSnapshots(restic, signal);

  return withTemporaryFolder(settings.backup.directory, async (folder) =>
    work(await fetchBackup(restic, folder, snapshots, { name: basename(path), signal })),
  );
}

async function restoreAndCompare(
  settings: RehearsalSettings,
  { path, rows }: RehearsedBackup,
  signal: AbortSignal,
): Promise<void> {
  const restore = (found: string) =>
    withRehearsalDatabase(settings, (url) =>
      withDatabase(url, 'ops', async (database) => {
        const restored = await restoreBackup({ config: { ...settings, databaseUrl: url }, database }, found, signal);
        requireSameRows(rows, restored.rows);
      }),
    );

  await withDatabase(settings.databaseUrl, 'backup', async (database) => {
    // In the stack the database is on the same disk as BACKUP_DIR. A full disk would stop the site.
    await requireDiskSpace(database, settings.backup.directory, 'rehearsal');
    const isFirst = await tryWithAdvisoryLock(database, LOCK, () => withStoredBackup(settings, path, restore, signal));
    if (!isFirst) throw new OpsError('Another rehearsal is running.');
  });
}

/** Restores a backup into a temporary database, compares its rows and records the result, unless aborted. */
export async function rehearseRestore(
  settings: RehearsalSettings,
  made: RehearsedBackup,
  signal: AbortSignal,
): Promise<void> {
  const record = (error: string | null) =>
    recordRehearsal(settings.backup.directory, { backup: basename(made.path), error });

  try {
    await restoreAndCompare(settings, made, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]));
  } catch (error) {
    const reason = error instanceof OpsError ? error.message : describeError(error).type;
    // Throw the rehearsal's error even if recording it fails, for example because the disk is full.
    if (!signal.aborted) await record(reason).catch(() => undefined);
    throw error;
  }
  await record(null);
}
