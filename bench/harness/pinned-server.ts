import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/free-port.ts';
import { systemPath } from '../../scripts/prerequisites.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { waitFor } from '../../tests/support/wait-for.ts';

/** The measured server has one core. The load generator and the stores share another. */
const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** Length of a clock tick in `/proc` (`getconf CLK_TCK`), in milliseconds. */
const TICK_MS = 10;

export type Environment = Readonly<Record<string, string>>;

/** A benchmark's input. */
export interface BenchmarkContext {
  /** Whether to run everything once and briefly, to check that the benchmark works. The results are meaningless. */
  readonly isQuick: boolean;
  /** Registers a cleanup, which runs even after an error or a signal. */
  readonly onCleanup: (cleanup: () => unknown) => void;
}

/** A server that runs on its own core. */
export interface PinnedServer {
  readonly origin: string;
  /** Returns the CPU time that its threads have used, in milliseconds. */
  readonly readCpuMs: () => Promise<number>;
}

/** Returns the command that runs a program on one core. @throws if there is no second core */
function pinTo(core: number, command: string, args: readonly string[]): [string, string[]] {
  if (cpus().length < 2) throw new Error('A benchmark needs two cores, one for the load.');

  return ['taskset', ['--cpu-list', String(core), command, ...args]];
}

/** Returns the command that runs a program on the load generator's core. @throws if there is no second core */
export const pinToLoadCore = (command: string, args: readonly string[]) => pinTo(LOAD_CORE, command, args);

async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name, in parentheses, may contain anything. User and system time are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');

  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * Starts a server on the server core. Its environment is only `HOST`, `PORT` and the given settings. The cleanup stops
 * it. Its output is written to a file, because reading a pipe would disturb the measurement.
 * @param args an entry file of the project and its arguments
 * @param path path to request until the server responds with 200
 * @throws with the server's output if it exits
 */
export async function startPinnedServer(
  { onCleanup }: BenchmarkContext,
  args: readonly string[],
  settings: Environment,
  path: string,
): Promise<PinnedServer> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  onCleanup(() => rm(folder, { recursive: true }));
  const log = createWriteStream(join(folder, 'log'));
  await once(log, 'open');
  const child = spawn(...pinTo(SERVER_CORE, process.execPath, args), {
    cwd: projectRoot,
    env: { PATH: systemPath, NODE_ENV: 'production', HOST: '127.0.0.1', PORT: String(port), ...settings },
    stdio: ['ignore', log, log],
  });
  const exit = once(child, 'exit');
  onCleanup(async () => {
    child.kill();
    await exit;
  });
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`${args[0]} exited: ${await readFile(log.path, 'utf8')}`);

    return fetch(origin + path).then(({ ok }) => ok, () => false);
  };
  await waitFor(`${args[0]} to respond`, isReady);

  return { origin, readCpuMs: () => readCpuMs(child.pid ?? 0) };
}
