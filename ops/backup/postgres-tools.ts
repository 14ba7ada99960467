import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { readProgramEnvironment } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { OpsError } from '../cli/session.ts';

/** PostgreSQL's client tools that are needed here. */
export type ToolName = 'pg_dump' | 'pg_restore';

export interface ToolOptions {
  /** The database to work on; its password reaches the tool by its environment only. */
  readonly databaseUrl?: string;
  /** Ends the tool. */
  readonly signal?: AbortSignal;
}

const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

/** How the tool finds the database, in words that any user of the machine may read. */
function describeConnection(databaseUrl: string) {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password || (url.searchParams.get('password') ?? ''));
  url.password = '';
  // The second is one of the library `pg` alone; the tools would refuse it.
  for (const name of ['password', 'uselibpqcompat']) url.searchParams.delete(name);

  return { args: [`--dbname=${url.href}`, '--no-password'], password };
}

/** The tool's own errors. The lines below them repeat rows, and so may a value at the end. */
function describeFault(stderr: string): string {
  const faults = stderr
    .split('\n')
    .filter((line) => /^pg_\w+: (?:error|fatal|detail: ERROR)/.test(line))
    .map((line) => line.replace(/(invalid input syntax [^:]*):.*/, '$1'));

  return faults.join('\n') || 'it gave no reason';
}

const readStderr = (error: unknown): string =>
  error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';

/**
 * Runs one of PostgreSQL's tools to its end and answers what it printed.
 * @throws OpsError when it is missing or fails, with its own words, and the signal's reason
 */
export async function runTool(
  name: ToolName,
  args: readonly string[],
  { databaseUrl, signal }: ToolOptions = {},
): Promise<string> {
  const connection = databaseUrl === undefined ? undefined : describeConnection(databaseUrl);
  const env = {
    ...readProgramEnvironment(),
    // Times and messages that can be read by a program.
    TZ: 'UTC',
    LC_ALL: 'C',
    PGAPPNAME: name,
    PGCONNECT_TIMEOUT: '10',
    ...(connection?.password && { PGPASSWORD: connection.password }),
  };

  try {
    const { stdout } = await promisify(execFile)(name, [...(connection?.args ?? []), ...args], {
      env,
      ...(signal && { signal }),
      maxBuffer: MAX_OUTPUT_BYTES,
    });

    return stdout;
  } catch (error) {
    signal?.throwIfAborted();
    if (getErrorCode(error) === 'ENOENT') {
      throw new OpsError(
        `${name} is not installed: PostgreSQL's client tools are needed, of the server's major. The ops image has them.`,
      );
    }
    throw new OpsError(`${name} failed: ${describeFault(readStderr(error))}`);
  }
}

/** The major version in what PostgreSQL says of itself, such as `15.18 (Debian 15.18-1)`. */
export function readMajor(version: string): number {
  return Number.parseInt(version, 10);
}

/**
 * Makes sure that a tool is of the server's major: an older one refuses, a newer one writes what the
 * server's own can't read.
 * @returns the major
 * @throws OpsError when it isn't, or is missing
 */
export async function requireSameMajor(name: ToolName, database: Database): Promise<number> {
  const text = await runTool(name, ['--version']);
  const [, version = ''] = /\(PostgreSQL\) (\S+)/.exec(text) ?? [];
  const { rows } = await database.raw<{ rows: Array<{ server_version: string }> }>(
    'show server_version',
  );
  const major = readMajor(rows[0]?.server_version ?? '');
  if (readMajor(version) !== major) {
    throw new OpsError(
      `${name} is of PostgreSQL ${readMajor(version)}, the server of ${major}: both must be of the same major. Use the client tools of ${major}.`,
    );
  }

  return major;
}
