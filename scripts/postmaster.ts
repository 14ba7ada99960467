import { execFile, execFileSync, spawn } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { identifyProcess, isRunning } from './lock.mjs';
import type { PostgresInstallation } from './postgres-installation.ts';
import { guardChild, sendSignal, waitUntil } from './processes.ts';

const READY_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 60_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

// Without our own environment: PGPORT, PGOPTIONS and the like would change the server.
const ENVIRONMENT: NodeJS.ProcessEnv = { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' };

export interface PostmasterCommand {
  readonly installation: PostgresInstallation;
  readonly data: string;
  readonly port: number;
  readonly settings: Readonly<Record<string, string>>;
}

export interface Postmaster {
  /** Repeats `connect` until it succeeds; rejects when the server ends or after 120 seconds. */
  waitUntilReady(connect: () => Promise<void>): Promise<void>;
  stop(mode: 'fast' | 'immediate'): Promise<void>;
  kill(): Promise<void>;
}

/** Runs a program of the server's distribution; rejects with its messages when it fails. */
export async function runPostgresProgram(
  installation: PostgresInstallation,
  name: string,
  args: readonly string[],
): Promise<void> {
  const program = join(installation.nativeFolder, 'bin', name);
  await promisify(execFile)(program, args, { ...installation.account, cwd: '/', env: ENVIRONMENT });
}

function listProcesses(): { pid: number; parent: number }[] {
  const isNumber = (name: string): boolean => /^\d+$/.test(name);
  try {
    return readdirSync('/proc').filter(isNumber).flatMap(readParentFromProc);
  } catch {
    const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    return table.split('\n').map((line) => {
      const [pid, parent] = line.trim().split(/\s+/).map(Number);
      return { pid: pid ?? 0, parent: parent ?? 0 };
    });
  }
}

function readParentFromProc(pid: string): { pid: number; parent: number }[] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return [{ pid: Number(pid), parent: Number(fields?.[1]) }];
  } catch {
    return [];
  }
}

async function killWithBackends(pid: number): Promise<void> {
  // Stopped first, so that it starts no backend between the listing and its end.
  sendSignal(pid, 'SIGSTOP');
  const backends = listProcesses().filter((entry) => entry.parent === pid);
  const all = [pid, ...backends.map((backend) => backend.pid)];
  const identities = all.map(identifyProcess);
  for (const target of all) sendSignal(target, 'SIGKILL');
  if (!(await waitUntil(() => !identities.some(isRunning), STOP_TIMEOUT_MS))) {
    throw new Error('PostgreSQL survived SIGKILL.');
  }
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // No /proc: another system, or the process is gone.
  }
  try {
    return execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/** Stops a server that an earlier, killed process of ours left running on this data. */
export async function stopOrphan(data: string): Promise<void> {
  const file = join(data, 'postmaster.pid');
  const pid = Number.parseInt(await readFile(file, 'utf8').catch(() => ''), 10);
  if (!(pid > 0)) return;
  const identity = identifyProcess(pid);
  if (!isRunning(identity)) return;
  if (!readCommandLine(pid).includes(`-D ${data} `)) {
    // The number now belongs to another program, which the server would take for a running server.
    await rm(file);
    return;
  }
  sendSignal(pid, 'SIGINT');
  if (!(await waitUntil(() => !isRunning(identity), STOP_TIMEOUT_MS))) await killWithBackends(pid);
}

function buildArguments({ data, port, settings }: PostmasterCommand): string[] {
  const all = {
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    // A socket's path has a length limit that a project's folder may exceed.
    unix_socket_directories: '',
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', data, ...flags];
}

/** Starts the server's main process, detached from the terminal; it ends when this process does. */
export function startPostmaster(command: PostmasterCommand): Postmaster {
  const program = join(command.installation.nativeFolder, 'bin', 'postgres');
  const child = spawn(program, buildArguments(command), {
    ...command.installation.account,
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-KEPT_OUTPUT_CHARACTERS);
  });
  const { pid = 0 } = child;
  const { exited, hasExited } = guardChild('PostgreSQL', child, 'SIGINT');
  const kill = async (): Promise<void> => {
    if (hasExited()) return;
    await killWithBackends(pid);
    await exited;
  };
  return {
    waitUntilReady: (connect) =>
      connectRepeatedly(connect, hasExited, async () => output || (await exited)),
    kill,
    async stop(mode) {
      if (hasExited()) return;
      sendSignal(pid, STOP_SIGNALS[mode]);
      if (!(await waitUntil(hasExited, STOP_TIMEOUT_MS))) await kill();
    },
  };
}

async function connectRepeatedly(
  connect: () => Promise<void>,
  hasExited: () => boolean,
  readOutput: () => Promise<string>,
): Promise<void> {
  for (const deadline = Date.now() + READY_TIMEOUT_MS; ; await sleep(50)) {
    const failure = await connect().catch((error: unknown) => error);
    if (failure === undefined) return;
    if (hasExited()) throw new Error(`PostgreSQL did not start:\n${await readOutput()}`);
    if (Date.now() > deadline) {
      throw new Error('PostgreSQL accepts no connection.', { cause: failure });
    }
  }
}
