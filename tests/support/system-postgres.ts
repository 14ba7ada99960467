import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { migrationSource } from '../../migrations/migration-source.ts';
import { findFreePort } from '../../scripts/free-port.ts';
import { preparePostgresInstallation } from '../../scripts/postgres-installation.ts';
import { runPostgresProgram, startPostmaster } from '../../scripts/postmaster.ts';
import { findSystemPostgres, systemPath } from '../../scripts/prerequisites.ts';
import { migrateDatabase } from '../../shared/node/database/migrate.ts';

/** A database with the schema of this version, to which nobody connects: the others are copies of it. */
const TEMPLATE = 'migrated_template';

/** A server of the system's own PostgreSQL, which comes with its client tools. */
export interface SystemPostgres {
  /** PATH on which the client tools of the server's major come first. */
  readonly path: string;
  /** Folder of the client tools. */
  readonly programs: string;
  createEmptyDatabase(): Promise<string>;
  createMigratedDatabase(): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Starts a server of the newest major installed, with a folder and a port of its own.
 * @throws when the system has no PostgreSQL with its client tools
 */
export async function startSystemPostgres(): Promise<SystemPostgres> {
  const nativeFolder = findSystemPostgres();
  if (nativeFolder === undefined) throw new Error("Debian's package postgresql is not installed.");
  const programs = join(nativeFolder, 'bin');
  const installation = {
    ...(await preparePostgresInstallation(await mkdtemp(join(tmpdir(), 'test-system-postgres-')))),
    nativeFolder,
  };
  const data = join(installation.folder, 'data');
  const password = randomBytes(16).toString('hex');
  const passwordFile = join(installation.folder, 'password');
  // The folder around it is closed to others.
  await writeFile(passwordFile, password, { mode: 0o644 });
  await runPostgresProgram(installation, 'initdb', [
    ...[`--pgdata=${data}`, '--username=postgres', `--pwfile=${passwordFile}`],
    ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
  ]);
  const port = await findFreePort();
  const postmaster = startPostmaster({ installation, data, port, settings: { max_connections: '200' } });
  const urlOf = (name: string) => `postgres://postgres:${password}@127.0.0.1:${port}/${name}`;
  const runSql = async (sql: string) => {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await postmaster.waitUntilReady(() => runSql('select 1'));

  const createDatabase = async (template = 'template1') => {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await runSql(`create database ${name} template ${template}`);

    return urlOf(name);
  };
  await runSql(`create database ${TEMPLATE}`);
  await migrateDatabase(urlOf(TEMPLATE), migrationSource);

  return {
    path: [programs, systemPath].join(delimiter),
    programs,
    createEmptyDatabase: () => createDatabase(),
    createMigratedDatabase: () => createDatabase(TEMPLATE),
    remove: async () => {
      await postmaster.stop('immediate');
      await rm(installation.folder, { recursive: true, force: true });
    },
  };
}
