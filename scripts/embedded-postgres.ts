import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { findFreePort } from './free-port.ts';
import { preparePostgresInstallation, type PostgresInstallation } from './postgres-installation.ts';
import { sendSignal, startProcess, waitForOutput, waitUntil, type GuardedProcess } from './processes.ts';
import { readOrCreateSecret } from './secret-file.ts';

const READY_TIMEOUT_MS = 120_000;
const KILL_TIMEOUT_MS = 30_000;
/** How long to wait for a server to exit after its parent process was killed. */
const ORPHAN_TIMEOUT_MS = 40_000;
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

// The server doesn't inherit our environment, because variables such as PGPORT would affect it.
const ENVIRONMENT: NodeJS.ProcessEnv = { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' };

export interface PostgresServerOptions {
  /** Requested folder. `preparePostgresInstallation` may choose another. */
  readonly dataFolder: string;
  /** Additional server settings, as in `postgres -c NAME=VALUE`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder of another PostgreSQL installation. */
  readonly nativeFolder?: string;
}

export type PostgresServer = Awaited<ReturnType<typeof createPostgresServer>>;

async function initializeData(
  { nativeFolder, account }: PostgresInstallation,
  data: string,
  options: readonly string[],
): Promise<void> {
  // Rename the folder once it is complete, so an interrupted run leaves no partial database.
  const partial = `${data}.new`;
  await rm(partial, { recursive: true, force: true });
  const args = [`--pgdata=${partial}`, '--username=postgres', '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'];
  const settings = { ...account, cwd: '/', env: ENVIRONMENT };
  await promisify(execFile)(join(nativeFolder, 'bin', 'initdb'), [...args, ...options], settings);
  await rename(partial, data);
}

async function createMissingDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  // If the server dies, the connection emits this error after the query has rejected.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

function startPostmaster(
  { nativeFolder, account }: PostgresInstallation,
  data: string,
  settings: Readonly<Record<string, string>>,
): GuardedProcess {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return startProcess(join(nativeFolder, 'bin', 'postgres'), ['-D', data, ...flags], {
    ...account,
    name: 'PostgreSQL',
    cwd: '/',
    env: ENVIRONMENT,
    guardSignal: 'SIGINT',
  });
}

async function killWithBackends({ pid, exited }: GuardedProcess): Promise<void> {
  // Suspend the server first, so that it can't start backends after the list is read.
  sendSignal(pid, 'SIGSTOP');
  const backends = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const target of [pid, ...backends.map(Number)]) sendSignal(target, 'SIGKILL');
  await exited;
  // A zombie has no executable.
  const isGone = (backend: string): boolean => !existsSync(`/proc/${backend}/exe`);
  if (!(await waitUntil(() => backends.every(isGone), KILL_TIMEOUT_MS))) throw new Error('PostgreSQL survived SIGKILL.');
}

/** Prepares a PostgreSQL server on 127.0.0.1 without starting it. Reuses existing data. */
export async function createPostgresServer(options: PostgresServerOptions) {
  const installation = await preparePostgresInstallation(options.dataFolder, options.nativeFolder);
  const passwordFile = join(installation.folder, 'password');
  const password = await readOrCreateSecret(passwordFile, 24, installation.account);
  const data = join(installation.folder, 'data');
  const port = await findFreePort();
  // Socket paths have a length limit, which the project's path may exceed.
  const fixed = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '' };
  const origin = `postgres://postgres:${password}@127.0.0.1:${port}`;
  // An older system PostgreSQL may lack this locale provider.
  const locale = options.nativeFolder === undefined ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : [];
  let postmaster: GuardedProcess | undefined;
  const stop = async (mode: keyof typeof STOP_SIGNALS): Promise<void> => postmaster?.stop(STOP_SIGNALS[mode]);
  const start = async (deadline: number): Promise<void> => {
    const started = startPostmaster(installation, data, { ...options.settings, ...fixed });
    postmaster = started;
    try {
      await waitForOutput(started, 'ready to accept connections', READY_TIMEOUT_MS);
    } catch (error) {
      if (!started.output().includes('"postmaster.pid" already exists') || Date.now() > deadline) throw error;
      await sleep(200);
      await start(deadline);
    }
  };

  return {
    /** Superuser's connection URL. It doesn't change on restart. */
    url: `${origin}/site`,
    installation,
    /** Resolves once the database accepts connections. Rejects with the server's last output. */
    async start(): Promise<void> {
      if (!existsSync(data)) await initializeData(installation, data, [`--pwfile=${passwordFile}`, ...locale]);
      await start(Date.now() + ORPHAN_TIMEOUT_MS);
      await createMissingDatabase(`${origin}/postgres`, 'site');
    },
    stop,
    /** Kills the server and all backends with SIGKILL, like a power cut (Linux only). */
    kill: async (): Promise<void> => {
      if (postmaster && !postmaster.hasExited()) await killWithBackends(postmaster);
    },
    async remove(): Promise<void> {
      await stop('immediate');
      await rm(installation.folder, { recursive: true, force: true });
    },
  };
}
