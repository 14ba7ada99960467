import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { findFreePort } from '../../scripts/free-port.ts';
import { sendSignal, spawnGuarded } from '../../scripts/processes.ts';
import type { Environment } from '../support/site-process.ts';
import { waitFor } from '../support/wait-for.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

/** The folders and files that the demo needs from the built project. */
const PARTS = [
  ...['client', 'content', 'dist', 'jobs', 'migrations', 'ops', 'scripts', 'server', 'shared'],
  ...['package.json', 'package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'vite.config.ts'],
];

/** The file where the setup records which packages are installed. */
const STAMP = '.setup-stamp';

/** The console's message once the site is ready. */
const READY = 'Ctrl-C stops everything.';
const READY_TIMEOUT = 90_000;

/**
 * Makes a folder with a link to each installed package. If the folder itself were a link, the demo would install missing
 * packages in the project.
 */
async function linkModules(installed: string, folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of await readdir(installed)) {
    if (!name.startsWith('.')) await symlink(join(installed, name), join(folder, name));
  }
  await symlink(join(installed, '.bin'), join(folder, '.bin'));
  await copyFile(join(installed, STAMP), join(folder, STAMP));
}

/** Copies the project with its build but without its data. The copy is removed when the test ends. */
export async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-demo-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    // PostgreSQL's data is in /var/tmp if its user can't access the project folder.
    for (const name of await readdir('/var/tmp')) {
      if (name.startsWith(basename(folder))) await rm(join('/var/tmp', name), { recursive: true });
    }
  });
  for (const name of PARTS) await cp(join(rootFolder, name), join(folder, name), { recursive: true });
  await linkModules(join(rootFolder, 'node_modules'), join(folder, 'node_modules'));

  return folder;
}

function readProcess(pid: string): string {
  try {
    return `${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}(in ${readlinkSync(`/proc/${pid}/cwd`)})`;
  } catch {
    // The process has ended.
    return '';
  }
}

/** Waits until no process runs in a copy of the project or uses its files. */
export async function untilAllEnded(folder: string): Promise<void> {
  await waitFor(`the processes of ${folder} to end`, async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));

    return pids.every((pid) => !readProcess(pid).includes(basename(folder)));
  });
}

/** The demo as a user sees it in a terminal. */
export interface Demo {
  readonly origin: string;
  /** The complete output. */
  readonly output: () => string;
  readonly untilReady: () => Promise<void>;
  /** @returns the exit code, or null if a signal ended it */
  readonly untilExited: () => Promise<number | null>;
  /**
   * Sends SIGINT or another signal to every process of the demo, as a terminal does on Ctrl-C.
   * @returns the exit code, or null if a signal ended it
   */
  readonly interrupt: (signal?: NodeJS.Signals) => Promise<number | null>;
}

interface DemoOptions {
  readonly settings?: Environment;
  /** The user who runs the demo. Defaults to the current user. */
  readonly account?: { readonly uid: number; readonly gid: number };
}

/** Runs `npm run demo` in a copy of the project. */
export async function startDemo(
  folder: string,
  { settings = {}, account }: DemoOptions = {},
): Promise<Demo> {
  const port = await findFreePort();
  const child = spawnGuarded('npm', ['run', 'demo'], {
    ...account,
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: String(port), ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid = 0 } = child;
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  const exit = once(child, 'exit');
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const untilExited = async () => {
    await exit;

    return child.exitCode;
  };
  onTestFinished(async () => {
    if (!hasExited()) sendSignal(-pid, 'SIGKILL');
    await exit;
  });

  return {
    origin: `http://127.0.0.1:${port}`,
    output,
    untilReady: async () => {
      await waitFor('the demo', () => output().includes(READY) || hasExited(), READY_TIMEOUT).catch(
        (error: unknown) => {
          throw new Error(`The demo is not ready: ${output()}`, { cause: error });
        },
      );
      if (hasExited()) throw new Error(`The demo ended: ${output()}`);
    },
    untilExited,
    interrupt: async (signal = 'SIGINT') => {
      sendSignal(-pid, signal);

      return untilExited();
    },
  };
}
