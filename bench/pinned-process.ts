import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findFreePort } from '../scripts/free-port.ts';
import { guardProcess, projectRoot } from '../scripts/processes.ts';
import { systemPath } from '../scripts/prerequisites.ts';

/** What is measured has a core of its own, and what asks it another. */
export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/** Length of a tick of the processor time in `/proc` (`getconf CLK_TCK`), in milliseconds. */
const TICK_MS = 10;

const START_PATIENCE_MS = 60_000;

/** Longer than the product's own time to end; after it there is no other way. */
const STOP_PATIENCE_MS = 40_000;

/** How often a starting server is asked, in milliseconds: what a start is measured to. */
const ASK_INTERVAL_MS = 5;

export type Environment = Readonly<Record<string, string>>;

/** A process on a core of its own. */
export interface PinnedProcess {
  readonly pid: number;
  /** Processor time it used so far, all threads together, in milliseconds. */
  readonly readCpuMs: () => Promise<number>;
  /** Memory it has for itself, and its share of what it shares (PSS), in MiB. */
  readonly readMemoryMib: () => Promise<number>;
  /** All it wrote, standard output and error; until it is stopped. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  /** Null while it runs, and when a signal ended it. */
  readonly exitCode: () => number | null;
  readonly stop: () => Promise<void>;
}

/** One that answers HTTP. */
export interface PinnedServer extends PinnedProcess {
  readonly origin: string;
  /** From its spawn to its first answer of 200, in milliseconds. */
  readonly startMs: number;
}

/** The command that runs a program on one core. @throws where there is no second core */
export function pinTo(core: number, command: string, args: readonly string[]): [string, string[]] {
  if (cpus().length < 2) throw new Error('A measurement needs two cores, one for the load.');

  return ['taskset', ['--cpu-list', String(core), command, ...args]];
}

/**
 * Moves this process to the load's core, and with it what it starts from here on but for the servers,
 * which have their own.
 */
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

/** Memory a process has for itself, and its share of what it shares (PSS), in MiB. */
export async function readMemoryMib(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');

  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1]) / 1024;
}

/** All that was written to a file that is open, from its beginning. */
function readWhole(descriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  const length = readSync(descriptor, bytes, 0, bytes.length, 0);

  return bytes.toString('utf8', 0, length);
}

/**
 * Starts Node on a core, with the settings given and nothing of this process's own. What it writes
 * goes into a file: a reader would take processor time from what is measured.
 * @param args an entry file of the project, maybe with arguments; options of Node before it
 */
export function startPinned(
  args: readonly string[],
  settings: Environment = {},
  core = SERVER_CORE,
): PinnedProcess {
  const [command, commandArgs] = pinTo(core, process.execPath, args);
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  const descriptor = openSync(join(folder, 'log'), 'a+');
  // What is open stays readable, and nothing is left however this process ends.
  rmSync(folder, { recursive: true });
  const child = spawn(command, commandArgs, {
    cwd: projectRoot,
    env: { PATH: systemPath, NODE_ENV: 'production', ...settings },
    stdio: ['ignore', descriptor, descriptor],
  });
  const { pid = 0 } = child;
  if (pid !== 0) guardProcess(pid, 'SIGTERM');
  let isOpen = true;

  return {
    pid,
    readCpuMs: () => readCpuMs(pid),
    readMemoryMib: () => readMemoryMib(pid),
    output: () => readWhole(descriptor),
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    exitCode: () => child.exitCode,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        const exit = once(child, 'exit');
        child.kill('SIGTERM');
        const patience = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
        await exit;
        clearTimeout(patience);
      }
      if (isOpen) closeSync(descriptor);
      isOpen = false;
    },
  };
}

async function untilAnswered(server: PinnedProcess, url: string): Promise<void> {
  const end = performance.now() + START_PATIENCE_MS;
  while (!(await fetch(url).then(({ ok }) => ok, () => false))) {
    if (server.hasExited() || performance.now() > end) {
      throw new Error(`${url} did not answer: ${server.output()}`);
    }
    await wait(ASK_INTERVAL_MS);
  }
}

/**
 * Starts a server that takes `HOST` and `PORT`, and waits until it answers `path` with 200.
 * @throws with its output when it ends instead
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
    await untilAnswered(server, origin + path);
  } catch (error) {
    await server.stop();
    throw error;
  }

  return { ...server, origin, startMs: performance.now() - startedAt };
}
