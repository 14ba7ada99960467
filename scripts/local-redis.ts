import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { findFreePort } from './free-port.ts';
import { guardChild, waitUntil, type GuardedProcess } from './processes.ts';

/** Loading a large append-only file takes time. */
const READY_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;

export interface LocalRedis {
  /** With the password, which is another one at each start. */
  readonly url: string;
  readonly process: GuardedProcess;
}

/**
 * Starts a redis-server that listens on 127.0.0.1 only, has its data in `folder` and appends every
 * change to it. It ends when this process does.
 * @param program the file of redis-server
 * @throws with the server's last messages when it does not start
 */
export async function startLocalRedis(program: string, folder: string): Promise<LocalRedis> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // As root: data from a normal user's run stays that user's.
  const { uid, gid } = await stat(folder);
  const port = await findFreePort();
  const password = randomBytes(24).toString('base64url');
  const child = spawn(program, ['-'], {
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    cwd: folder,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-KEPT_OUTPUT_CHARACTERS);
    });
  }
  const guarded = guardChild('redis-server', child, 'SIGINT');
  // By standard input: a password among the arguments is in every list of processes.
  child.stdin.on('error', () => undefined);
  child.stdin.end(
    [
      ...['bind 127.0.0.1', `port ${port}`, `requirepass ${password}`, 'daemonize no'],
      ...['appendonly yes', 'save ""', 'maxmemory-policy noeviction', ''],
    ].join('\n'),
  );
  const isReady = () => output.includes('Ready to accept connections');
  await waitUntil(() => isReady() || guarded.hasExited(), READY_TIMEOUT_MS);
  if (!isReady()) {
    await guarded.stop(AbortSignal.abort());
    throw new Error(`redis-server did not start:\n${output || (await guarded.exited)}`);
  }

  return { url: `redis://:${password}@127.0.0.1:${port}`, process: guarded };
}
