import { access } from 'node:fs/promises';
import { getHashPath, hashFile, readHash } from '../backup/backup-files.ts';
import { readDumpList, type DumpList } from '../backup/dump-list.ts';
import { runTool } from '../backup/postgres-tools.ts';
import { listMigrationNames } from '../../shared/node/database/schema.ts';
import { OpsError } from '../cli/session.ts';

/** Tables without which it is no backup of this site. */
const WANTED = ['contact_submissions', 'deliveries', 'knex_migrations'];

async function requireHash(file: string): Promise<void> {
  await access(file);
  const noted = await readHash(file);
  if (noted === undefined) {
    throw new OpsError(
      `${getHashPath(file)} is missing or says nothing: copy it from where the backup was made. If you trust the file as it is, run: cd to its folder; sha256sum FILE > FILE.sha256`,
    );
  }
  if (noted !== (await hashFile(file))) {
    throw new OpsError(
      `${file} is damaged: its SHA-256 is not the one noted beside it. Take another copy or another backup.`,
    );
  }
}

/** The migrations that the dumped database had. */
async function listDumpedMigrations(file: string): Promise<string[]> {
  const sql = await runTool('pg_restore', [
    ...['--data-only', '--schema=public', '--table=knex_migrations', '--file=-', file],
  ]);

  return [...sql.matchAll(/^\d+\t([^\t\n]+)\t/gm)].map(([, name = '']) => name);
}

async function requireKnownVersion(file: string): Promise<void> {
  const known = new Set(await listMigrationNames());
  const news = (await listDumpedMigrations(file)).filter((name) => !known.has(name));
  if (news.length > 0) {
    throw new OpsError(
      `The backup is of a newer version of the site (its database has ${news.join(', ')}): restore it with that version.`,
    );
  }
}

/**
 * Looks whether a file can be restored, and changes nothing.
 * @param major of the server that it is to be restored to, and of the tools
 * @throws OpsError when it is damaged, no backup of this site, of a newer version of it, or of a newer
 *   server; and when it can't be read
 */
export async function readBackup(file: string, major: number): Promise<DumpList> {
  await requireHash(file);
  const list = await readDumpList(file);
  if (list.serverMajor > major) {
    throw new OpsError(
      `The backup is of PostgreSQL ${list.serverMajor}, the server of ${major}: it can only be restored to ${list.serverMajor} or newer.`,
    );
  }
  const dumped = new Set(
    list.tables.filter(({ schema }) => schema === 'public').map(({ name }) => name),
  );
  const missing = WANTED.filter((name) => !dumped.has(name));
  if (missing.length > 0) {
    throw new OpsError(`${file} is no backup of this site: it lacks ${missing.join(', ')}.`);
  }
  await requireKnownVersion(file);

  return list;
}
