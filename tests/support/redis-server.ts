import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findFreePort } from '../../scripts/free-port.ts';
import { waitFor } from './wait-for.ts';

/** A real redis-server with append-only persistence, on its own port. */
export interface RedisServer {
  readonly url: string;
  /** @throws if it exits, for example because it can't read its data */
  start(): Promise<void>;
  /** Kills the process with SIGKILL. The next start loads the data again. */
  kill(): Promise<void>;
  /** Stops the process with SIGSTOP. Until `thaw`, connections stay open but get no response. */
  freeze(): void;
  thaw(): void;
  /** Runs one command on a new connection. */
  command(...parts: readonly [string, ...string[]]): Promise<unknown>;
  remove(): Promise<void>;
}

async function runCommand(url: string, [name, ...parameters]: readonly [string, ...string[]]) {
  const client = new Redis(url, { retryStrategy: () => null, maxRetriesPerRequest: 0 });
  client.on('error', () => undefined);

  try {
    return await client.call(name, ...parameters);
  } finally {
    client.disconnect();
  }
}

function spawnServer(folder: string, port: number, options: readonly string[]): ChildProcess {
  return spawn(
    'redis-server',
    [
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', ''],
      ...['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
      ...options,
    ],
    { stdio: 'ignore' },
  );
}

/**
 * @param options additional command-line options
 * @param login `USER:PASSWORD@` of a user who may run PING. Empty if every user may
 */
export async function createRedisServer(options: readonly string[] = [], login = ''): Promise<RedisServer> {
  const folder = await mkdtemp(join(tmpdir(), 'test-redis-'));
  const port = await findFreePort();
  const url = `redis://${login}127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  };

  return {
    url,
    start: async () => {
      const started = spawnServer(folder, port, options);
      child = started;
      await waitFor('redis-server', () => {
        if (started.exitCode !== null) throw new Error(`redis-server ended: ${started.exitCode}`);

        return runCommand(url, ['PING']).then(
          (reply) => reply === 'PONG',
          () => false,
        );
      });
    },
    kill,
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    command: (...parts) => runCommand(url, parts),
    remove: async () => {
      await kill();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
