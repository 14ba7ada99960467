import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../scripts/free-port.ts';
import { processEnvironment } from './process-environment.ts';
import { waitFor } from './wait-for.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Maximum time in milliseconds for a process to start on a busy machine. */
const START_TIMEOUT = 90_000;

export type Environment = Readonly<Record<string, string>>;

/** The version of the product that a process runs. Defaults to this version. */
export interface ProcessPlace {
  /** The version's root folder. */
  readonly folder?: string;
}

/** A process of the product, started as in production. */
export interface SiteProcess {
  readonly pid: number;
  /** Its complete standard output and standard error. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  /** Stops it and waits for its exit code, which is null if a signal killed it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program with exactly the given settings, without this process's environment. */
export function startProgram(
  program: string,
  args: readonly string[],
  settings: Environment,
  { folder = rootFolder }: ProcessPlace = {},
): SiteProcess {
  const child: ChildProcess = spawn(program, args, {
    cwd: folder,
    env: { ...processEnvironment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;

  return {
    pid: child.pid ?? 0,
    output: () => Buffer.concat(chunks).toString(),
    hasExited,
    stop: async (signal = 'SIGTERM') => {
      if (!hasExited()) {
        const exit = once(child, 'exit');
        child.kill(signal);
        await exit;
      }

      return child.exitCode;
    },
  };
}

/** Starts an entry file of the product with Node, optionally with Node options before it and arguments after it. */
export function startProcess(
  entry: string | readonly string[],
  settings: Environment,
  place: ProcessPlace = {},
): SiteProcess {
  return startProgram(process.execPath, [entry].flat(), { LOG_LEVEL: 'info', ...settings }, place);
}

export interface WebProcess extends SiteProcess {
  readonly origin: string;
}

/** Waits until a process is ready. Stops it if it isn't ready in time. */
async function untilReady(
  name: string,
  site: SiteProcess,
  isReady: () => Promise<boolean> | boolean,
): Promise<void> {
  try {
    await waitFor(name, () => {
      if (site.hasExited()) throw new Error(`${name} ended: ${site.output()}`);

      return isReady();
    }, START_TIMEOUT);
  } catch (error) {
    await site.stop('SIGKILL');
    throw error;
  }
}

/**
 * Starts the web process on a free port and waits until it responds.
 * @param entry another file that starts it, optionally preceded by Node options
 */
export async function startWebProcess(
  settings: Environment,
  entry: string | readonly string[] = 'server/main.ts',
  place: ProcessPlace = {},
): Promise<WebProcess> {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const web = startProcess(entry, { HOST: '127.0.0.1', PORT: String(port), ...settings }, place);
  await untilReady('The web process', web, () =>
    fetch(`${origin}/health/live`).then(({ ok }) => ok, () => false),
  );

  return { ...web, origin };
}

/** Starts the worker with short timings and waits until it processes jobs. */
export async function startWorkerProcess(settings: Environment, place: ProcessPlace = {}): Promise<SiteProcess> {
  const worker = startProcess('tests/support/worker-entry.ts', settings, place);
  await untilReady('The worker', worker, () => worker.output().includes('The worker is ready.'));

  return worker;
}
