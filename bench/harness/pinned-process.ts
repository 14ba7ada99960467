import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../../scripts/free-port.ts';
import { systemPath } from '../../scripts/prerequisites.ts';
import { guardProcess, projectRoot } from '../../scripts/processes.ts';

/** What is measured has a core of its own; the load generator and the stores have another. */
const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** A tick of the processor time in `/proc` (`getconf CLK_TCK`), in milliseconds. */
const TICK_MS = 10;

const START_TIMEOUT_MS = 60_000;
/** Longer than the product's own graceful shutdown. */
const STOP_TIMEOUT_MS = 40_000;
/** How often a starting server is asked, in milliseconds: the resolution of a start. */
const POLL_INTERVAL_MS = 5;

export type Environment = Readonly<Record<string, string>>;

/** A process pinned to the server's core. */
export interface PinnedProcess {
  readonly pid: number;
  /** Processor time used so far by all its threads, in milliseconds. */
  readonly readCpuMs: () => Promise<number>;
  /** Proportional set size (PSS): its own memory and its share of what is shared, in MiB. */
  readonly readMemoryMib: () => Promise<number>;
  /** Its standard output and error, until it is stopped. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: () => number | null;
  readonly stop: () => Promise<void>;
}

/** A pinned process that serves HTTP. */
export interface PinnedServer extends PinnedProcess {
  readonly origin: string;
  /** From its spawn to its first 200, in milliseconds. */
  readonly startMs: number;
}

/** The command that runs a program on one core. @throws where there is no second core */
function pinTo(core: number, command: string, args: readonly string[]): [string, string[]] {
  if (cpus().length < 2) throw new Error('A benchmark needs two cores, one for the load.');

  return ['taskset', ['--cpu-list', String(core), command, ...args]];
}

/** The command that runs a program on the load's core. @throws where there is no second core */
export const pinToLoadCore = (command: string, args: readonly string[]) => pinTo(LOAD_CORE, command, args);

/** Moves this process to the load's core, and with it all that it starts, except pinned processes. */
export function moveToLoadCore(): void {
  const args = ['--all-tasks', '--cpu-list', '--pid', String(LOAD_CORE), String(process.pid)];
  execFileSync('taskset', args);
}

async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold anything; user and system time are the 14th and 15th field.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

async function readMemoryMib(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');

  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
}

function readFromStart(descriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  const length = readSync(descriptor, bytes, 0, bytes.length, 0);

  return bytes.toString('utf8', 0, length);
}

/**
 * Starts Node on the server's core with these settings and nothing of this process's own. Its output
 * goes to a file: reading a pipe would disturb what is measured.
 * @param args options of Node, if any, then an entry file of the project and its arguments
 */
export function startPinned(args: readonly string[], settings: Environment = {}): PinnedProcess {
  const [command, commandArgs] = pinTo(SERVER_CORE, process.execPath, args);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const descriptor = openSync(join(folder, 'log'), 'a+');
  // An open file stays readable, and nothing is left however this process ends.
  rmSync(folder, { recursive: true });
  const child = spawn(command, commandArgs, {
    cwd: projectRoot,
    env: { PATH: systemPath, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', descriptor, descriptor],
  });
  const { pid = 0 } = child;
  if (pid !== 0) guardProcess(pid, 'SIGTERM');
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  let isOpen = true;

  return {
    pid,
    readCpuMs: () => readCpuMs(pid),
    readMemoryMib: () => readMemoryMib(pid),
    output: () => readFromStart(descriptor),
    hasExited,
    exitCode: () => child.exitCode,
    stop: async () => {
      if (!hasExited()) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        const timeout = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
        await exit;
        clearTimeout(timeout);
      }
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

/** Runs a pinned process to its end. @returns its output @throws with it unless the process succeeds */
export async function runPinned(args: readonly string[], settings: Environment): Promise<string> {
  const child = startPinned(args, settings);
  try {
    while (!child.hasExited()) await wait(POLL_INTERVAL_MS);
    if (child.exitCode() !== 0) throw new Error(`${args.join(' ')} failed: ${child.output()}`);

    return child.output();
  } finally {
    await child.stop();
  }
}

async function untilReady(server: PinnedProcess, url: string): Promise<void> {
  const end = performance.now() + START_TIMEOUT_MS;
  while (!(await fetch(url).then(({ ok }) => ok, () => false))) {
    if (server.hasExited() || performance.now() > end) {
      throw new Error(`${url} did not answer: ${server.output()}`);
    }
    await wait(POLL_INTERVAL_MS);
  }
}

/**
 * Starts a server that takes `HOST` and `PORT`, and waits for its first 200.
 * @param path what it is asked for
 * @throws with its output when it exits or takes longer than a minute
 */
export async function startPinnedServer(
  args: readonly string[],
  settings: Environment = {},
  path = '/',
): Promise<PinnedServer> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const server = startPinned(args, { HOST: '127.0.0.1', PORT: String(port), ...settings });
  try {
    await untilReady(server, origin + path);
  } catch (error) {
    await server.stop();
    throw error;
  }

  return { ...server, origin, startMs: performance.now() - startedAt };
}
