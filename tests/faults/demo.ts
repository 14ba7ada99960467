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

/** What a copy of the project, built as this one is, needs to run the demo. */
const PARTS = [
  ...['client', 'content', 'dist', 'jobs', 'migrations', 'ops', 'scripts', 'server', 'shared'],
  ...['package.json', 'package-lock.json', 'tsconfig.base.json', 'tsconfig.json', 'vite.config.ts'],
];

/** Written by the setup: which packages are installed. */
const STAMP = '.setup-stamp';

/** What the console shows when the site is ready. */
const READY = 'Ctrl-C stops everything.';
const READY_TIMEOUT = 90_000;

/**
 * Makes a folder of links to the installed packages. Not one link to all: where the packages are not those
 * of package-lock.json, the demo installs them, and would do so in the project itself.
 */
async function linkModules(installed: string, folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of await readdir(installed)) {
    if (!name.startsWith('.')) await symlink(join(installed, name), join(folder, name));
  }
  await symlink(join(installed, '.bin'), join(folder, '.bin'));
  await copyFile(join(installed, STAMP), join(folder, STAMP));
}

/** Copies the project, with its build and without its data, until the test ends. */
export async function copyProject(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'test-demo-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    // Where PostgreSQL's data lies when its user cannot enter the project.
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
    // It has ended.
    return '';
  }
}

/** Waits until no process runs in a copy of the project, or with files of it. */
export async function untilAllEnded(folder: string): Promise<void> {
  await waitFor(`the processes of ${folder} to end`, async () => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));

    return pids.every((pid) => !readProcess(pid).includes(basename(folder)));
  });
}

/** The demo as whoever runs it in a terminal has it. */
export interface Demo {
  readonly origin: string;
  /** Everything it printed. */
  readonly output: () => string;
  readonly hasExited: () => boolean;
  readonly untilReady: () => Promise<void>;
  /** @returns its exit code; null when a signal ended it */
  readonly untilExited: () => Promise<number | null>;
  /**
   * Presses Ctrl-C: the terminal sends SIGINT, or another signal, to every process of the group.
   * @returns its exit code; null when a signal ended it
   */
  readonly interrupt: (signal?: NodeJS.Signals) => Promise<number | null>;
}

interface DemoOptions {
  readonly settings?: Environment;
  readonly port?: number;
  /** As whom it runs, when not as ourselves. */
  readonly account?: { readonly uid: number; readonly gid: number };
}

/** Runs `npm run demo` in a copy of the project. */
export async function startDemo(
  folder: string,
  { settings = {}, port, account }: DemoOptions = {},
): Promise<Demo> {
  const ownPort = port ?? (await findFreePort());
  const child = spawnGuarded('npm', ['run', 'demo'], {
    ...account,
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PORT: String(ownPort), ...settings },
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
    origin: `http://127.0.0.1:${ownPort}`,
    output,
    hasExited,
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
