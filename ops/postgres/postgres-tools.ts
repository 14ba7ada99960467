import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { promisify } from 'node:util';
import type { Config } from '../../shared/node/config/config.ts';
import type { Database } from '../../shared/node/database/database.ts';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { OpsError } from '../cli/session.ts';
import type { Table } from './list-tables.ts';

type ToolName = 'pg_dump' | 'pg_restore';

export type ProgramEnvironment = Config['programEnvironment'];

type ToolEnvironment = ProgramEnvironment & { readonly PGSSLROOTCERT?: string };

/** Returns whether the server's certificate is verified by authorities that the URL doesn't name. */
function needsAuthorities(databaseUrl: string): boolean {
  const { searchParams } = new URL(databaseUrl);

  return (searchParams.get('sslmode') ?? '').startsWith('verify-') && !searchParams.has('sslrootcert');
}

/**
 * Runs `work` with the environment for a PostgreSQL tool. If its connection is verified, the environment names a file
 * with the authorities that this process trusts, because libpq only looks in the user's home. For any other `sslmode`
 * the file would turn verification on.
 */
export async function withAuthorities<Result>(
  environment: ProgramEnvironment,
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

interface ToolOptions {
  /** The database to connect to. Its password is passed in the environment only. */
  readonly databaseUrl?: string;
  readonly signal?: AbortSignal;
}

export const MAX_OUTPUT_BYTES = 64 * 1024 ** 2;

/** Returns the connection's arguments and, separately, its password, because every user can read arguments. */
function splitConnectionUrl(databaseUrl: string) {
  const url = new URL(databaseUrl);
  // The same precedence as in `pg`, which the site uses.
  const password = url.searchParams.get('password') || decodeURIComponent(url.password);
  url.password = '';
  // The tools refuse `uselibpqcompat`, an option of `pg`.
  for (const name of ['password', 'uselibpqcompat']) url.searchParams.delete(name);

  return { args: [`--dbname=${url.href}`, '--no-password'], password };
}

/** Returns a tool's arguments and environment. The password is in the environment only. */
export function makeToolCommand(
  environment: ToolEnvironment,
  name: ToolName,
  args: readonly string[],
  databaseUrl: string | undefined,
) {
  const connection = databaseUrl === undefined ? undefined : splitConnectionUrl(databaseUrl);

  return {
    args: [...(connection?.args ?? []), ...args],
    env: {
      ...environment,
      // Fixes the format of times and messages, which are parsed here.
      TZ: 'UTC',
      LC_ALL: 'C',
      PGAPPNAME: name,
      PGCONNECT_TIMEOUT: '10',
      ...(connection?.password && { PGPASSWORD: connection.password }),
    },
  };
}

/** Returns a tool's error messages without the lines and values that quote database rows. */
function extractErrors(stderr: string): string {
  const errors = stderr
    .split('\n')
    .filter((line) => /^pg_\w+: (?:error|fatal|detail: ERROR)/.test(line))
    .map((line) => line.replace(/(invalid input syntax [^:]*):.*/, '$1'));

  return errors.join('\n') || 'without an error message';
}

/** Returns what a program wrote to standard error before it failed. */
export const readStderr = (error: unknown): string =>
  error instanceof Error && 'stderr' in error && typeof error.stderr === 'string' ? error.stderr : '';

function makeToolError(name: ToolName, error: unknown): OpsError {
  return getErrorCode(error) === 'ENOENT'
    ? new OpsError(
        `${name} is not installed: PostgreSQL's client tools of the server's major version are needed. The ops image has them.`,
      )
    : new OpsError(`${name} failed: ${extractErrors(readStderr(error))}`);
}

/** Runs a tool and returns its standard output. @throws OpsError with its messages */
export async function runTool(
  environment: ProgramEnvironment,
  name: ToolName,
  args: readonly string[],
  { databaseUrl, signal }: ToolOptions = {},
): Promise<string> {
  return withAuthorities(environment, databaseUrl, async (trusting) => {
    const command = makeToolCommand(trusting, name, args, databaseUrl);
    const options = { env: command.env, ...(signal && { signal }), maxBuffer: MAX_OUTPUT_BYTES };
    try {
      const { stdout } = await promisify(execFile)(name, command.args, options);

      return stdout;
    } catch (error) {
      signal?.throwIfAborted();
      throw makeToolError(name, error);
    }
  });
}

function parseMajor(version: string): number {
  return Number.parseInt(version, 10);
}

/** Returns a PostgreSQL tool's major version. */
export async function readToolMajor(environment: ProgramEnvironment, name: ToolName): Promise<number> {
  const text = await runTool(environment, name, ['--version']);
  const [, version = ''] = /\(PostgreSQL\) (\S+)/.exec(text) ?? [];

  return parseMajor(version);
}

/**
 * Returns the server's major version. An older tool refuses the server, and a newer tool writes dumps that the server
 * can't read.
 * @throws OpsError if the tool has another major version
 */
export async function requireSameMajor(
  environment: ProgramEnvironment,
  name: ToolName,
  database: Database,
): Promise<number> {
  const toolMajor = await readToolMajor(environment, name);
  const { rows } = await database.raw<{ rows: Array<{ server_version: string }> }>(
    'show server_version',
  );
  const major = parseMajor(rows[0]?.server_version ?? '');
  if (toolMajor !== major) {
    throw new OpsError(
      `${name} is from PostgreSQL ${toolMajor}, but the server is PostgreSQL ${major}. Use the client tools of ${major}.`,
    );
  }

  return major;
}

export interface DumpList {
  readonly createdAt: Date;
  readonly serverMajor: number;
  readonly tables: ReadonlyArray<Pick<Table, 'schema' | 'name'>>;
  /** One line for each object, as `pg_restore --use-list` reads them. */
  readonly entries: readonly string[];
}

function readHeader(text: string, name: string): string {
  const [, value] = new RegExp(`^; +${name}:? (.*)$`, 'm').exec(text) ?? [];
  if (value === undefined) throw new OpsError(`The list of the dump has no "${name}".`);

  return value;
}

/** Reads a dump's table of contents. @throws OpsError if the file is not a complete dump */
export async function readDumpList(environment: ProgramEnvironment, file: string): Promise<DumpList> {
  const text = await runTool(environment, 'pg_restore', ['--list', file]);
  const tables = [...text.matchAll(/^\d+; \d+ \d+ TABLE DATA (\S+) (\S+) /gm)];

  return {
    createdAt: new Date(readHeader(text, 'Archive created at').replace(' UTC', 'Z')),
    serverMajor: parseMajor(readHeader(text, 'Dumped from database version')),
    tables: tables.map(([, schema = '', name = '']) => ({ schema, name })),
    entries: text.split('\n').filter((line) => /^\d+;/.test(line)),
  };
}
