import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { tmpdir } from 'node:os';
import { createPostgresServer } from '../../scripts/embedded-postgres.ts';
import { findSystemPostgres, systemPath } from '../../scripts/prerequisites.ts';
import type { Certificate } from './certificates.ts';
import { createMigratedTemplate, createTestDatabase } from './test-databases.ts';

/** A server of the system's PostgreSQL, which includes the client tools. */
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
 * Starts a server of the newest installed major version, with its own folder and port.
 * @param certificate the server's certificate, with which it also accepts encrypted connections
 * @throws if the system has no PostgreSQL with client tools
 */
export async function startSystemPostgres(certificate?: Certificate): Promise<SystemPostgres> {
  const nativeFolder = findSystemPostgres();
  if (nativeFolder === undefined) throw new Error("Debian's package postgresql is not installed.");
  const programs = join(nativeFolder, 'bin');
  const dataFolder = await mkdtemp(join(tmpdir(), 'test-system-postgres-'));
  const files = { ssl_cert_file: join(dataFolder, 'server.crt'), ssl_key_file: join(dataFolder, 'server.key') };
  const settings = { max_connections: '200', ...(certificate && { ssl: 'on', ...files }) };
  const server = await createPostgresServer({ dataFolder, nativeFolder, settings });
  if (certificate) {
    const { account } = server.installation;
    for (const [file, text] of [[files.ssl_cert_file, certificate.cert], [files.ssl_key_file, certificate.key]] as const) {
      await writeFile(file, text, { mode: 0o600 });
      if (account) await chown(file, account.uid, account.gid);
    }
  }
  await server.start();
  const template = await createMigratedTemplate(server.url);

  return {
    path: [programs, systemPath].join(delimiter),
    programs,
    createEmptyDatabase: () => createTestDatabase(server.url),
    createMigratedDatabase: () => createTestDatabase(server.url, template),
    remove: () => server.remove(),
  };
}
