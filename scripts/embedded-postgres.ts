import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { findFreePort } from './free-port.ts';
import { runPostgresProgram, startPostmaster, stopOrphan } from './postmaster.ts';
import type { Postmaster, PostmasterCommand } from './postmaster.ts';
import { preparePostgresInstallation } from './postgres-installation.ts';
import type { Account, PostgresInstallation } from './postgres-installation.ts';
import { untilAborted } from './processes.ts';

export interface PostgresServerOptions {
  /** Wanted folder; see `preparePostgresInstallation` for when it is another one. */
  readonly dataFolder: string;
  /** Created at the first start; "site" when not given. */
  readonly databaseName?: string;
  readonly port?: number;
  /** More server settings, as for `postgres -c NAME=VALUE`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface PostgresServer {
  /** Connection URL of the database, as its superuser; the same after a restart. */
  readonly url: string;
  readonly port: number;
  /** Where the data really lies. */
  readonly folder: string;
  /**
   * Resolves once the database accepts connections; rejects with the server's last messages.
   * @param signal ends the wait, not the server
   */
  start(signal?: AbortSignal): Promise<void>;
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  /** SIGKILL of the server and all its backends, as a power cut would. */
  kill(): Promise<void>;
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Stops the server and deletes its data for good. */
  remove(): Promise<void>;
}

const SUPERUSER = 'postgres';

async function readOrCreatePassword(file: string, account: Account | undefined): Promise<string> {
  if (existsSync(file)) return (await readFile(file, 'utf8')).trim();
  const password = randomBytes(24).toString('base64url');
  const partial = `${file}.new`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600);
  await handle.writeFile(`${password}\n`);
  if (account) await handle.chown(account.uid, account.gid);
  await handle.close();
  await rename(partial, file);
  return password;
}

async function initializeData(installation: PostgresInstallation, data: string, passwordFile: string) {
  // Renamed when complete, so that an interrupted run leaves nothing that looks like a database.
  const partial = `${data}.new`;
  await rm(partial, { recursive: true, force: true });
  await runPostgresProgram(installation, 'initdb', [
    `--pgdata=${partial}`,
    `--username=${SUPERUSER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]);
  await rename(partial, data);
}

async function runSql(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // A server that dies breaks the connection after the query's own rejection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function createMissingDatabase(adminUrl: string, name: string): Promise<void> {
  await runSql(adminUrl, async (client) => {
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  });
}

async function prepareFiles(options: PostgresServerOptions) {
  const installation = await preparePostgresInstallation(options.dataFolder);
  const port = options.port ?? (await findFreePort());
  const passwordFile = join(installation.folder, 'password');
  const password = await readOrCreatePassword(passwordFile, installation.account);
  const data = join(installation.folder, 'data');
  const command: PostmasterCommand = { installation, data, port, settings: options.settings ?? {} };
  const urlOf = (name: string): string =>
    `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`;
  return { command, passwordFile, urlOf };
}

/**
 * Prepares (does not start) a PostgreSQL server that listens on 127.0.0.1 only. The first start creates its
 * data, later ones find it again. It ends with this process.
 */
export async function createPostgresServer(
  options: PostgresServerOptions,
): Promise<PostgresServer> {
  const { command, passwordFile, urlOf } = await prepareFiles(options);
  const { installation, data, port } = command;
  const { databaseName = 'site' } = options;
  const adminUrl = urlOf('postgres');
  let postmaster: Postmaster | undefined;

  return {
    url: urlOf(databaseName),
    port,
    folder: installation.folder,
    async start(signal) {
      if (!existsSync(data)) await initializeData(installation, data, passwordFile);
      await stopOrphan(data);
      signal?.throwIfAborted();
      postmaster = startPostmaster(command);
      const ready = postmaster.waitUntilReady(() => runSql(adminUrl, async () => undefined));
      await (signal ? Promise.race([ready, untilAborted(signal)]) : ready);
      await createMissingDatabase(adminUrl, databaseName);
    },
    stop: async (mode) => postmaster?.stop(mode),
    kill: async () => postmaster?.kill(),
    async createDatabase(name) {
      await runSql(adminUrl, async (client) => {
        await client.query(`create database ${pg.escapeIdentifier(name)}`);
      });
      return urlOf(name);
    },
    async remove() {
      await postmaster?.stop('immediate');
      await rm(installation.folder, { recursive: true, force: true });
    },
  };
}
