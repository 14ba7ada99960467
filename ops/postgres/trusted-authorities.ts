import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import type { Config } from '../../shared/node/config/config.ts';

/** Where programs are found, and for PostgreSQL's the authorities that they trust. */
export type ToolEnvironment = Config['programEnvironment'] & { readonly PGSSLROOTCERT?: string };

/** Whether the server's certificate is verified, by authorities that the URL doesn't name. */
function needsAuthorities(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl);

  return (searchParams.get('sslmode') ?? '').startsWith('verify-') && !searchParams.has('sslrootcert');
}

/**
 * Runs `work` with the environment of a tool that connects to a database. Where the URL has the server's certificate
 * verified, the tool trusts whom this process trusts, the authorities of NODE_EXTRA_CA_CERTS included: PostgreSQL's
 * client library looks for a file in the user's home and knows no other. With another `sslmode` it gets no such file,
 * since it would begin to verify.
 * @throws the file system's errors, what `work` throws
 */
export async function withAuthorities<Result>(
  environment: Config['programEnvironment'],
  databaseUrl: string | undefined,
  work: (environment: ToolEnvironment) => Promise<Result>,
): Promise<Result> {
  if (databaseUrl === undefined || !needsAuthorities(databaseUrl)) return work(environment);
  const folder = await mkdtemp(join(tmpdir(), 'authorities-'));

  try {
    const file = join(folder, 'trusted.pem');
    await writeFile(file, getCACertificates('default').join('\n'));

    return await work({ ...environment, PGSSLROOTCERT: file });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
