import { access } from 'node:fs/promises';
import { NEWEST_MIGRATION } from '../../shared/node/database/schema.ts';
import { getHashPath, hashFile, readHash } from '../../shared/node/files/backup-files.ts';
import { OpsError } from '../cli/session.ts';
import { readDumpList, runTool, type DumpList, type ProgramEnvironment } from '../postgres/postgres-tools.ts';

/** Tables that every backup of this site has. */
const REQUIRED_TABLES = ['contact_submissions', 'deliveries', 'knex_migrations'];

/** Which of these are not among the tables of a backup or a database; none, where it is this site's. */
export function listMissingTables(tables: ReadonlyArray<{ readonly schema: string; readonly name: string }>): string[] {
  const found = new Set(tables.filter(({ schema }) => schema === 'public').map(({ name }) => name));

  return REQUIRED_TABLES.filter((name) => !found.has(name));
}

async function requireHash(file: string): Promise<void> {
  await access(file);
  const expected = await readHash(file);
  if (expected === undefined) {
    throw new OpsError(
      `${getHashPath(file)} is missing or contains no hash: copy it from where the backup was made. If you trust the file as it is, run: cd to its folder; sha256sum FILE > FILE.sha256`,
    );
  }
  if (expected !== (await hashFile(file))) {
    throw new OpsError(
      `${file} is damaged: its SHA-256 differs from the one in the file beside it. Use another copy or another backup.`,
    );
  }
}

/** The migrations of the dumped database. */
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
      `The backup is of a newer version of the site (its database has ${newer.join(', ')}): restore it with that version.`,
    );
  }
}

/**
 * Checks that a file can be restored; changes nothing.
 * @param major major version of the server to restore to, and of the tools
 * @throws OpsError when it is damaged, no backup of this site, of a newer version of it, or of a newer
 *   server; the file system's errors
 */
export async function readBackup(
  environment: ProgramEnvironment,
  file: string,
  major: number,
): Promise<DumpList> {
  await requireHash(file);
  const list = await readDumpList(environment, file);
  if (list.serverMajor > major) {
    throw new OpsError(
      `The backup is of PostgreSQL ${list.serverMajor}, the server of ${major}: it can only be restored to ${list.serverMajor} or newer.`,
    );
  }
  const missing = listMissingTables(list.tables);
  if (missing.length > 0) {
    throw new OpsError(`${file} is no backup of this site: it lacks ${missing.join(', ')}.`);
  }
  await requireKnownVersion(environment, file);

  return list;
}
