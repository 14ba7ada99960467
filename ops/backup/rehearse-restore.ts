import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Config } from '../../shared/node/config/config.ts';
import { withDatabase, type Database } from '../../shared/node/database/database.ts';
import { recordRehearsal } from '../../shared/node/files/backup-records.ts';
import { describeError } from '../../shared/node/logging/describe-error.ts';
import { Hour } from '../../shared/time.ts';
import { OpsError } from '../cli/session.ts';
import type { RowCounts } from '../postgres/list-tables.ts';
import { fetchBackup, withFolderIn } from '../repository/fetch-backup.ts';
import { findRepository } from '../repository/repository.ts';
import { selectSite } from '../repository/sites.ts';
import { restoreBackup } from '../restore/restore-backup.ts';
import { requireDiskSpace } from './make-backup.ts';

const PREFIX = 'rehearsal_';
/** The hold is the restore's own. */
const NOT_COMPARED = 'delivery_hold';

export type RehearsalSettings = Pick<Config, 'databaseUrl' | 'programEnvironment' | 'backup' | 'roles'>;

interface RehearsedBackup {
  readonly path: string;
  readonly rows: RowCounts;
}

/** A repository that hangs must not keep the next day's backup from being made. */
const TIMEOUT = 6 * Hour;

/** The same server as the role that may make databases: the superuser, where the settings have one. */
const getAdminUrl = ({ databaseUrl, roles }: RehearsalSettings) => roles.adminUrl ?? databaseUrl;

/** Whether the server lets us create a database to rehearse in; without the superuser's login it may not. */
export async function canRehearse(settings: RehearsalSettings): Promise<boolean> {
  return withDatabase(getAdminUrl(settings), 'ops', async (database) => {
    const { rows } = await database.raw<{ rows: Array<{ may: boolean }> }>(
      'select rolsuper or rolcreatedb as may from pg_roles where rolname = current_user',
    );

    return rows[0]?.may === true;
  });
}

/** By names one can tell which rehearsals began before another. */
const makeName = (time: number, suffix: string): string =>
  `${PREFIX}${new Date(time).toISOString().replaceAll(/\D/g, '')}_${suffix}`;

async function listAbandoned(admin: Database, owner: string): Promise<string[]> {
  const { rows } = await admin.raw<{ rows: Array<{ name: string }> }>(
    // Another rehearsal may be running, without a connection when it has just created its database or reads the file.
    `select datname as name from pg_database
     where datname ~ ? and datname < ?
       and pg_get_userbyid(datdba) = ?
       and datname not in (select datname from pg_stat_activity where datname is not null)`,
    [`^${PREFIX}[0-9]{17}_[0-9a-f]{12}$`, makeName(Date.now() - TIMEOUT, ''), owner],
  );

  return rows.map(({ name }) => name);
}

const replaceDatabase = (databaseUrl: string, name: string): string =>
  Object.assign(new URL(databaseUrl), { pathname: `/${name}` }).href;

/** Runs `work` with a database of its own, which the site's role owns, and which nobody else may connect to. */
async function withOwnDatabase<Result>(
  settings: RehearsalSettings,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const name = makeName(Date.now(), randomBytes(6).toString('hex'));
  const owner = decodeURIComponent(new URL(settings.databaseUrl).username);

  return withDatabase(getAdminUrl(settings), 'ops', async (admin) => {
    for (const abandoned of await listAbandoned(admin, owner)) await admin.raw('drop database if exists ?? with (force)', [abandoned]);
    await admin.raw('create database ?? owner ?? template template0', [name, owner]);
    await admin.raw('revoke all on database ?? from public', [name]);

    const drop = () => admin.raw('drop database if exists ?? with (force)', [name]);
    const result = await work(replaceDatabase(settings.databaseUrl, name)).catch(async (error: unknown) => {
      // Report the failure. The next rehearsal cleans up leftovers.
      await drop().catch(() => undefined);
      throw error;
    });
    await drop();

    return result;
  });
}

function requireSameRows(expected: RowCounts, restored: RowCounts): void {
  const names = new Set([...Object.keys(expected), ...Object.keys(restored)]);
  names.delete(NOT_COMPARED);
  const differences = [...names]
    .filter((name) => expected[name] !== restored[name])
    .map((name) => `${name} has ${restored[name] ?? 'no table'} instead of ${expected[name] ?? 'none'}`);
  if (differences.length > 0) throw new OpsError(`The restored backup differs: ${differences.join(', ')}.`);
}

/** Runs `work` with the backup as it would be found after the loss of this machine, if it is copied. */
async function withFoundBackup<Result>(
  settings: RehearsalSettings,
  path: string,
  work: (path: string) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  const restic = findRepository(settings);
  if (!restic) return work(path);

  const { directory } = settings.backup;
  const { snapshots } = await selectSite(restic, settings, { signal });

  return withFolderIn(directory, async (folder) =>
    work(await fetchBackup(restic, folder, snapshots, { name: basename(path), signal })),
  );
}

async function restoreAndCompare(
  settings: RehearsalSettings,
  { path, rows }: RehearsedBackup,
  signal: AbortSignal,
): Promise<void> {
  // BACKUP_DIR's disk is also that of a stack's database: a full one would stop the site.
  await withDatabase(settings.databaseUrl, 'ops', (database) => requireDiskSpace(database, settings.backup.directory, 'rehearsal'));
  const restore = (found: string) =>
    withOwnDatabase(settings, (url) =>
      withDatabase(url, 'ops', async (database) => {
        const restored = await restoreBackup({ config: { ...settings, databaseUrl: url }, database }, found, signal);
        requireSameRows(rows, restored.rows);
      }),
    );
  await withFoundBackup(settings, path, restore, signal);
}

/** Restores a backup into a throw-away database, compares its rows and records the result, unless aborted. */
export async function rehearseRestore(
  settings: RehearsalSettings,
  made: RehearsedBackup,
  signal: AbortSignal,
): Promise<void> {
  const record = (error: string | null) =>
    recordRehearsal(settings.backup.directory, { backup: basename(made.path), error });
  const recordFailure = async (error: unknown) => {
    try {
      await record(error instanceof OpsError ? error.message : describeError(error).type);
    } catch {
      // Why it failed matters more: a full disk takes no record either.
    }
  };

  try {
    await restoreAndCompare(settings, made, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]));
  } catch (error) {
    if (!signal.aborted) await recordFailure(error);
    throw error;
  }
  await record(null);
}
