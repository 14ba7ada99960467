import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { basename, delimiter, join } from 'node:path';
import { expect } from 'vitest';
import type { Database } from '../../shared/node/database/database.ts';
import { inDatabase, makeFolder, setUpOps, type OpsBench } from './ops-bench.ts';
import type { Environment } from './site-process.ts';
import type { SystemPostgres } from './system-postgres.ts';

export interface BackupBench extends OpsBench {
  readonly backups: string;
  /** Makes a backup and answers its path. */
  readonly backUp: (...args: string[]) => Promise<string>;
}

/** A database of the system's PostgreSQL, with a folder for its backups. */
export async function setUpBackups(
  server: SystemPostgres,
  changes: Environment = {},
  databaseUrl?: string,
): Promise<BackupBench> {
  const backups = join(await makeFolder(), 'backups');
  const url = databaseUrl ?? (await server.createMigratedDatabase());
  const bench = await setUpOps({
    ...{ PATH: server.path, BACKUP_DIR: backups },
    ...changes,
    DATABASE_URL: url,
  });

  return {
    ...bench,
    backups,
    backUp: async (...args) => {
      const result = await bench.ops('backup', '--json', ...args);
      expect(result, result.complaints).toMatchObject({ exitCode: 0 });

      return (JSON.parse(result.output) as { file: string }).file;
    },
  };
}

/** Restores into an empty database and brings it to this version; answers its URL. */
export async function restoreElsewhere(
  server: SystemPostgres,
  { settings }: BackupBench,
  file: string,
): Promise<BackupBench> {
  const url = await server.createEmptyDatabase();
  const bench = await setUpBackups(server, settings, url);
  const result = await bench.ops('restore', file);
  expect(result, result.complaints).toMatchObject({ exitCode: 0 });

  return bench;
}

/** Every row of every table, the hold and the queue's tables apart. */
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

/** Notes a file's hash beside it, as the tool does. */
export async function noteHash(file: string): Promise<void> {
  const hash = createHash('sha256').update(await readFile(file)).digest('hex');
  await writeFile(`${file}.sha256`, `${hash}  ${basename(file)}\n`);
}

/** A PATH on which a tool is a shell script; `$REAL` in it is the true one. */
export async function wrapTool(
  server: SystemPostgres,
  name: 'pg_dump' | 'pg_restore',
  script: string,
): Promise<string> {
  const folder = join(await makeFolder(), 'bin');
  await mkdir(folder);
  const file = join(folder, name);
  await writeFile(file, `#!/bin/sh\nREAL=${join(server.programs, name)}\n${script}\n`);
  await chmod(file, 0o755);

  return [folder, server.path].join(delimiter);
}

/** Lets `--version` through, which is asked first, and does `script` otherwise. */
export const unlessVersion = (script: string): string =>
  `case "$1" in --version) exec $REAL "$@";; esac\n${script}`;

export const listFiles = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();
