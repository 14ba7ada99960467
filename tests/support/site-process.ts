import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '../../scripts/free-port.ts';
import { waitFor } from './wait-for.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/** Time for a process to start, on a busy machine too. */
const START_MS = 90_000;

export type Environment = Readonly<Record<string, string>>;

/** One of the product's processes, started as in production. */
export interface SiteProcess {
  /** Everything it wrote, standard output and error. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  /** Ends it and waits for its exit code; null when a signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts an entry file with exactly the settings given, nothing of this process's own. */
export function startProcess(entry: string, settings: Environment): SiteProcess {
  const child: ChildProcess = spawn(process.execPath, [entry], {
    cwd: rootFolder,
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;

  return {
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

/** Starts the web process on a free port and waits until it answers. */
export async function startWebProcess(settings: Environment): Promise<WebProcess> {
  const port = await findFreePort();
  const origin = `http://localhost:${port}`;
  const web = startProcess('server/main.ts', { HOST: '127.0.0.1', PORT: String(port), ...settings });
  await waitFor('the web process', async () => {
    if (web.hasExited()) throw new Error(`The web process ended: ${web.output()}`);

    return fetch(`${origin}/health/live`).then(({ ok }) => ok, () => false);
  }, START_MS);

  return { ...web, origin };
}

/**
 * Starts the worker with short timings and waits until it takes jobs.
 * @param entry another file that starts it
 */
export async function startWorkerProcess(
  settings: Environment,
  entry = 'tests/support/worker-entry.ts',
): Promise<SiteProcess> {
  const worker = startProcess(entry, settings);
  await waitFor('the worker process', () => {
    if (worker.hasExited()) throw new Error(`The worker ended: ${worker.output()}`);

    return worker.output().includes('The worker is ready.');
  }, START_MS);

  return worker;
}
