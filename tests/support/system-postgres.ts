import { randomBytes } from 'node:crypto';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
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
  remove(): Promise<void>;
}

async function connectTo(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  await client.end();
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
 * @param certificate that of the server, which then takes encrypted connections too
 * @throws when the system has no PostgreSQL with its client tools
 */
export async function startSystemPostgres(certificate?: Certificate): Promise<SystemPostgres> {
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
  const postmaster = startPostmaster({ installation, data, port, settings: { max_connections: '200', ssl } });
  const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
  await postmaster.waitUntilReady(() => connectTo(url));
  const template = await createMigratedTemplate(url);

  return {
    path: [programs, systemPath].join(delimiter),
    programs,
    createEmptyDatabase: () => createTestDatabase(url),
    createMigratedDatabase: () => createTestDatabase(url, template),
    remove: async () => {
      await postmaster.stop('immediate');
      await rm(installation.folder, { recursive: true, force: true });
    },
  };
}
