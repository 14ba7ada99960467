import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../scripts/free-port.ts';
import { waitFor } from './wait-for.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Milliseconds a process may take to start while the machine does other things. */
const START_PATIENCE = 60_000;

export type Environment = Readonly<Record<string, string>>;

/** What a process has otherwise than usual. */
export interface ProcessPlace {
  /** Root folder of another version of the product. */
  readonly folder?: string;
  /** File descriptor for its standard output, which `output` then lacks. */
  readonly stdout?: number;
}

/** One of the product's processes, started as in production. */
export interface SiteProcess {
  readonly pid: number;
  /** Everything it wrote, standard output and error. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  /** Ends it and waits for its exit code; null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts an entry file with exactly the settings given, nothing of this process's own. */
export function startProcess(
  entry: string,
  settings: Environment,
  { folder = rootFolder, stdout }: ProcessPlace = {},
): SiteProcess {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    cwd: folder,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
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

export interface WebProcess extends SiteProcess {
  readonly origin: string;
}

/**
 * Starts the web process on a free port and waits until it answers.
 * @param entry another file that starts it
 */
export async function startWebProcess(
  settings: Environment,
  entry = 'server/main.ts',
  place: ProcessPlace = {},
): Promise<WebProcess> {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const web = startProcess(entry, { HOST: '127.0.0.1', PORT: String(port), ...settings }, place);
  await waitFor('the web process', async () => {
    if (web.hasExited()) throw new Error(`The web process ended: ${web.output()}`);

    return fetch(`${origin}/health/live`).then(({ ok }) => ok, () => false);
  }, START_PATIENCE);

  return { ...web, origin };
}

/**
 * Starts the worker with short timings and waits until it takes jobs.
 * @param entry another file that starts it
 */
export async function startWorkerProcess(
  settings: Environment,
  entry = 'tests/support/worker-entry.ts',
  place: ProcessPlace = {},
): Promise<SiteProcess> {
  const worker = startProcess(entry, settings, place);
  await waitFor('the worker process', () => {
    if (worker.hasExited()) throw new Error(`The worker ended: ${worker.output()}`);

    return worker.output().includes('The worker is ready.');
  }, START_PATIENCE);

  return worker;
}
