import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { formatBackupName } from '../../shared/node/files/backup-files.ts';
import { inDatabase, setUpOps, type OpsFixture } from './ops-fixture.ts';
import { startProcess, type Environment, type SiteProcess } from './site-process.ts';
import type { SystemPostgres } from './system-postgres.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface BackupFixture extends OpsFixture {
  readonly backups: string;
  /** Makes a backup and returns its path. */
  readonly backUp: (...args: string[]) => Promise<string>;
}

/** Sets up a database in the system's PostgreSQL, and a folder for its backups. */
export async function setUpBackups(
  server: SystemPostgres,
  changes: Environment = {},
  databaseUrl?: string,
): Promise<BackupFixture> {
  const backups = join(makeTemporaryFolder(), 'backups');
  const url = databaseUrl ?? (await server.createMigratedDatabase());
  const fixture = await setUpOps({
    ...{ PATH: server.path, BACKUP_DIR: backups },
    ...changes,
    DATABASE_URL: url,
  });

  return {
    ...fixture,
    backups,
    backUp: async (...args) => {
      const result = await fixture.ops('backup', '--json', ...args);
      expect(result, result.errorOutput).toMatchObject({ exitCode: 0 });

      return (JSON.parse(result.output) as { file: string }).file;
    },
  };
}

/** Restores a backup into a new database. All other settings stay the same. */
export async function restoreToNewDatabase(
  server: SystemPostgres,
  { settings }: BackupFixture,
  file: string,
): Promise<BackupFixture> {
  const url = await server.createEmptyDatabase();
  const fixture = await setUpBackups(server, settings, url);
  const result = await fixture.ops('restore', file);
  expect(result, result.errorOutput).toMatchObject({ exitCode: 0 });

  return fixture;
}

/** Returns all rows of all tables in `public`, except the hold. */
export function readAllRows(url: string): Promise<Record<string, unknown>> {
  return inDatabase(url, async (database: Database) => {
    const tables = await database('information_schema.tables')
      .where({ table_schema: 'public' })
      .whereNot({ table_name: 'delivery_hold' })
      .orderBy('table_name')
      .select<Array<{ table_name: string }>>('table_name');
    const rows = await Promise.all(
      tables.map(async ({ table_name: name }) => [name, await database(name).orderBy(1)] as const),
    );

    return Object.fromEntries(rows);
  });
}

/** Writes a file's hash to a file beside it, as `ops backup` does. */
export async function writeHash(file: string): Promise<void> {
  const hash = createHash('sha256').update(await readFile(file)).digest('hex');
  await writeFile(`${file}.sha256`, `${hash}  ${basename(file)}\n`);
}

/** Writes a backup of a given age with its hash, under the name that `ops backup` would use. */
export async function placeBackup(folder: string, ageMs: number): Promise<string> {
  const name = formatBackupName(new Date(Date.now() - ageMs));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), 'dump');
  await writeHash(join(folder, name));

  return name;
}

/** Returns a PATH that replaces a tool with a shell script. In the script, `$REAL` is the real tool. */
export async function wrapTool(
  server: SystemPostgres,
  name: 'pg_dump' | 'pg_restore',
  script: string,
): Promise<string> {
  const folder = join(makeTemporaryFolder(), 'bin');
  await mkdir(folder);
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\nREAL=${join(server.programs, name)}\n${script}\n`);
  await chmod(file, 0o755);

  return [folder, server.path].join(delimiter);
}

/** Returns a script that runs the real tool if its first argument is `--version`, and `script` otherwise. */
export const unlessVersion = (script: string): string =>
  `case "$1" in --version) exec $REAL "$@";; esac\n${script}`;

export const listFiles = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();

/** Runs `ops backup --daily`, as the backup service does, until the test ends. */
export function startDailyBackups(settings: Environment): SiteProcess {
  const daily = startProcess(['ops/main.ts', 'backup', '--daily'], settings);
  onTestFinished(async () => {
    await daily.stop('SIGKILL');
  });

  return daily;
}
