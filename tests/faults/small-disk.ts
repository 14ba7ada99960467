import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { getErrorCode } from '../../shared/node/logging/describe-error.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** A disk of its own for one test, in memory. */
export interface SmallDisk {
  readonly folder: string;
  /** Leaves no byte free. */
  readonly fill: () => Promise<void>;
  readonly free: () => Promise<void>;
}

const run = promisify(execFile);
const CHUNK = Buffer.alloc(64 * 1024, 1);

/** As root: mounts it for all processes. */
async function mountAsRoot(folder: string, options: string): Promise<string> {
  await run('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  onTestFinished(async () => {
    await run('umount', ['--lazy', folder]);
  });

  return folder;
}

/** As another user: mounts it in a namespace, and reaches it through a process in there. */
async function mountInNamespace(folder: string, options: string): Promise<string> {
  const script = 'mount -t tmpfs -o "$1" tmpfs "$0" && echo mounted && exec sleep infinity';
  const holder = spawn(
    'unshare',
    ['--user', '--map-root-user', '--mount', 'sh', '-c', script, folder, options],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [reply] = (await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit')])) as [unknown];
  if (!String(reply).startsWith('mounted')) {
    throw new Error('Row 45 needs a disk it can fill: run as root, or allow user namespaces.');
  }

  return join('/proc', String(holder.pid), 'root', folder);
}

/** Writes until nothing more fits, down to single bytes. */
async function writeUntilFull(file: string): Promise<void> {
  const ballast = await open(file, 'a');
  try {
    for (let size = CHUNK.length; size > 0; ) {
      try {
        await ballast.write(CHUNK, 0, size);
      } catch (error) {
        if (getErrorCode(error) !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    await ballast.close();
  }
}

/** @throws when this machine can't create the disk; the message names what it lacks */
export async function makeSmallDisk(megabytes: number): Promise<SmallDisk> {
  const place = makeTemporaryFolder();
  const mount = process.getuid?.() === 0 ? mountAsRoot : mountInNamespace;
  const folder = await mount(place, `size=${megabytes}m,mode=755`);
  const ballast = join(folder, 'ballast');

  return {
    folder,
    fill: () => writeUntilFull(ballast),
    free: () => rm(ballast),
  };
}
