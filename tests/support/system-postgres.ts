import { randomBytes } from 'node:crypto';
import { chmod, chown, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import pg from 'pg';
import { findFreePort } from '../../scripts/free-port.ts';
import { preparePostgresInstallation, type PostgresInstallation } from '../../scripts/postgres-installation.ts';
import { runPostgresProgram, startPostmaster } from '../../scripts/postmaster.ts';
import { findSystemPostgres, systemPath } from '../../scripts/prerequisites.ts';
import type { Certificate } from './certificates.ts';
import { createMigratedTemplate, createTestDatabase } from './test-databases.ts';

/** A server of the system's own PostgreSQL, which comes with its client tools. */
export interface SystemPostgres {
  /** PATH on which the client tools of the server's major come first. */
  readonly path: string;
  /** Folder of the client tools. */
  readonly programs: string;
  createEmptyDatabase(): Promise<string>;
  createMigratedDatabase(): Promise<string>;
  /** A role that may replicate and nothing else; returns the server's URL as that role. */
  createReplicationRole(): Promise<string>;
  remove(): Promise<void>;
}

async function createReplicationRole(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create role archive login replication password 'archive'").finally(() => client.end());

  return Object.assign(new URL(url), { username: 'archive', password: 'archive' }).href;
}

async function connectTo(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
}

/**
 * Starts a server on files that were restored, and waits until it accepts connections.
 * @param data its data folder, which becomes the server's account's
 * @param formerUrl a database of the server whose files they are
 */
export async function startPostgresOn(data: string, formerUrl: string) {
  const nativeFolder = findSystemPostgres();
  if (nativeFolder === undefined) throw new Error("Debian's package postgresql is not installed.");
  const installation = {
    ...(await preparePostgresInstallation(await mkdtemp(join(tmpdir(), 'test-restored-postgres-')))),
    nativeFolder,
  };
  const { account, folder } = installation;
  const own = join(folder, 'data');
  await cp(data, own, { recursive: true });
  await chmod(own, 0o700);
  for (const entry of account ? await readdir(own, { recursive: true }) : []) {
    await chown(join(own, entry), account?.uid ?? 0, account?.gid ?? 0);
  }
  if (account) await chown(own, account.uid, account.gid);
  const port = await findFreePort();
  const postmaster = startPostmaster({ installation, data: own, port, settings: { max_connections: '200' } });
  const url = Object.assign(new URL(formerUrl), { port: String(port) }).href;
  await postmaster.waitUntilReady(() => connectTo(url));

  return {
    url,
    /** The folder of its files. */
    data: own,
    remove: async () => {
      await postmaster.stop('immediate');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Puts a certificate where a server with `ssl=on` looks for it. */
async function placeCertificate(data: string, { cert, key }: Certificate, { account }: PostgresInstallation): Promise<void> {
  for (const [name, text] of [['server.crt', cert], ['server.key', key]] as const) {
    await writeFile(join(data, name), text, { mode: 0o600 });
    if (account) await chown(join(data, name), account.uid, account.gid);
  }
}

/**
 * Starts a server of the newest major installed, with a folder and a port of its own.
 * @param settings more of the server's, as for `postgres -c NAME=VALUE`
 * @param certificate that of the server, which then takes encrypted connections too
 * @throws when the system has no PostgreSQL with its client tools
 */
export async function startSystemPostgres(
  settings: Readonly<Record<string, string>> = {},
  certificate?: Certificate,
): Promise<SystemPostgres> {
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
  if (certificate) await placeCertificate(data, certificate, installation);
  const port = await findFreePort();
  const ssl = certificate ? 'on' : 'off';
  const postmaster = startPostmaster({ installation, data, port, settings: { max_connections: '200', ssl, ...settings } });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await postmaster.waitUntilReady(() => connectTo(url));
  const template = await createMigratedTemplate(url);

  return {
    path: [programs, systemPath].join(delimiter),
    programs,
    createEmptyDatabase: () => createTestDatabase(url),
    createMigratedDatabase: () => createTestDatabase(url, template),
    createReplicationRole: () => createReplicationRole(url),
    remove: async () => {
      await postmaster.stop('immediate');
      await rm(installation.folder, { recursive: true, force: true });
    },
  };
}
