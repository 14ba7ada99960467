import { randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { findFreePort } from './free-port.ts';
import { startProcess, waitForOutput, type GuardedProcess } from './processes.ts';

/** Loading a large append-only file takes time. */
const READY_TIMEOUT_MS = 30_000;

export interface LocalRedis {
  /** Includes the password, which changes at each start. */
  readonly url: string;
  readonly process: GuardedProcess;
}

/** Starts redis-server on 127.0.0.1 with append-only data in `folder`. It stops when this process exits. */
export async function startLocalRedis(program: string, folder: string): Promise<LocalRedis> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // If root runs this, Redis runs as the data's owner.
  const { uid, gid } = await stat(folder);
  const port = await findFreePort();
  const password = randomBytes(24).toString('base64url');
  const redis = startProcess(program, ['-'], {
    ...(process.getuid?.() === 0 ? { uid, gid } : {}),
    name: 'redis-server',
    cwd: folder,
    guardSignal: 'SIGINT',
    // Every user could read arguments in the process list.
    input: `bind 127.0.0.1\nport ${port}\nrequirepass ${password}\nappendonly yes\nsave ""\nmaxmemory-policy noeviction\n`,
  });
  await waitForOutput(redis, 'Ready to accept connections', READY_TIMEOUT_MS);

  return { url: `redis://:${password}@127.0.0.1:${port}`, process: redis };
}
