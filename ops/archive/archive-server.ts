import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extractErrors, makeToolCommand } from '../postgres/postgres-tools.ts';
import { withAuthorities, type ToolEnvironment } from '../postgres/trusted-authorities.ts';
import { ARCHIVE_SLOT } from '../../shared/node/database/replication.ts';
import { OpsError } from '../cli/session.ts';
import { storeStream } from '../repository/repository.ts';
import type { Restic } from '../repository/restic.ts';

/** Name of the copy of the server's files in its snapshot: a tar archive. */
export const BASE_FILE = 'base.tar';

interface ArchiveServer {
  /** As the role that may replicate. */
  readonly archiveUrl: string;
  readonly programEnvironment: ToolEnvironment;
}

type Tool = ChildProcessByStdio<null, Readable, Readable>;

function startTool(
  { archiveUrl, programEnvironment }: ArchiveServer,
  name: 'pg_basebackup' | 'pg_receivewal',
  args: readonly string[],
  signal: AbortSignal,
): Tool {
  const command = makeToolCommand(programEnvironment, name, args, archiveUrl);

  return spawn(name, command.args, { env: command.env, stdio: ['ignore', 'pipe', 'pipe'], signal });
}

/** Runs `work` with a server whose tools trust whom this process trusts. */
const withTrustedServer = <Result>(server: ArchiveServer, work: (server: ArchiveServer) => Promise<Result>): Promise<Result> =>
  withAuthorities(server.programEnvironment, server.archiveUrl, (programEnvironment) => work({ ...server, programEnvironment }));

/** Waits for the end; the messages tell why it failed. */
async function waitForEnd(tool: Tool, name: string, signal: AbortSignal): Promise<void> {
  try {
    const [errors, [exitCode]] = await Promise.all([text(tool.stderr), once(tool, 'close') as Promise<[number | null]>]);
    if (exitCode !== 0) throw new OpsError(`${name} failed: ${extractErrors(errors)}`);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/**
 * Receives the server's write-ahead log into a folder until the signal.
 * @throws OpsError when the connection ends or is refused; the signal's reason
 */
export async function receiveWal(server: ArchiveServer, folder: string, signal: AbortSignal): Promise<void> {
  const args = [`--directory=${folder}`, `--slot=${ARCHIVE_SLOT}`, '--no-loop', '--status-interval=5'];
  await withTrustedServer(server, async (trusting) => {
    const tool = startTool(trusting, 'pg_receivewal', args, signal);
    tool.stdout.resume();
    await waitForEnd(tool, 'pg_receivewal', signal);
  });
}

/** The output of a tool, which ends with its failure where it fails. */
async function* readOutput(tool: Tool, name: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const ended = waitForEnd(tool, name, signal);
  ended.catch(() => undefined);
  yield* tool.stdout as AsyncIterable<Buffer>;
  await ended;
}

/**
 * Copies the server's files to the repository, as they are while it runs: they need the write-ahead log from
 * `start` on.
 * @param labels of the log it leads to, and of a segment of it that is not later than the copy begins
 * @returns the snapshot's id; it counts once `labelEnd` has labeled it
 * @throws OpsError, ResticError; nothing is stored then
 */
export async function storeBase(
  server: ArchiveServer,
  restic: Restic,
  labels: { readonly log: string; readonly start: string },
  signal: AbortSignal,
): Promise<string> {
  const args = ['--pgdata=-', '--format=tar', '--wal-method=none', '--checkpoint=fast'];

  return withTrustedServer(server, (trusting) => {
    const makeInput = () => Readable.from(readOutput(startTool(trusting, 'pg_basebackup', args, signal), 'pg_basebackup', signal));

    return storeStream(restic, { kind: 'base', name: BASE_FILE, labels }, makeInput, signal);
  });
}
