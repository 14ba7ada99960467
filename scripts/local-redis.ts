import { randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { findFreePort } from './free-port.ts';
import { startProcess, waitForOutput, type GuardedProcess } from './processes.ts';

/** Loading a large append-only file takes time. */
const READY_TIMEOUT_MS = 30_000;

export interface LocalRedis {
  /** With the password, which is another one at each start. */
  readonly url: string;
  readonly process: GuardedProcess;
}

/** Starts a redis-server on 127.0.0.1 with its data in `folder`, every change appended. It ends with this process. */
export async function startLocalRedis(program: string, folder: string): Promise<LocalRedis> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // As root: data from a normal user's run stays that user's.
  const { uid, gid } = await stat(folder);
  const port = await findFreePort();
  const password = randomBytes(24).toString('base64url');
  const redis = startProcess(program, ['-'], {
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    name: 'redis-server',
    cwd: folder,
    guardSignal: 'SIGINT',
    // Not as arguments, which every user can list with the processes.
    input: `bind 127.0.0.1\nport ${port}\nrequirepass ${password}\nappendonly yes\nsave ""\nmaxmemory-policy noeviction\n`,
  });
  await waitForOutput(redis, 'Ready to accept connections', READY_TIMEOUT_MS);

  return { url: `redis://:${password}@127.0.0.1:${port}`, process: redis };
}
