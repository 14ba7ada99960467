// Plain JavaScript without dependencies, because setup.mjs uses it before installing packages.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 100;
const isLinux = process.platform === 'linux';

/** Returns the lock's socket address. Linux removes abstract sockets when the process dies. @param {string} name */
function getAddress(name) {
  const id = createHash('sha256').update(`${import.meta.dirname}\0${name}`).digest('hex').slice(0, 32);
  return isLinux ? `\0${id}` : join(tmpdir(), `${id}.lock`);
}

/**
 * Returns whether a live process holds the lock.
 * @param {string} name
 */
export async function isLocked(name) {
  const socket = connect(getAddress(name));
  return once(socket, 'connect').then(() => true, () => false).finally(() => socket.destroy());
}

/**
 * Takes a lock for this folder. Returns a function that releases it, or undefined if another live process holds it.
 * @param {string} name
 * @returns {Promise<(() => void) | undefined>}
 */
export async function tryLock(name) {
  const server = createServer((socket) => socket.destroy()).unref().listen(getAddress(name));
  try {
    await once(server, 'listening');
    return () => void server.close();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    if (isLinux || (await isLocked(name))) return undefined;
    // A dead process left its socket file behind.
    rmSync(getAddress(name), { force: true });
    return tryLock(name);
  }
}

/**
 * Runs `work` while holding a lock for this folder. Calls `onWait` once if it has to wait.
 * @template Result
 * @param {string} name
 * @param {() => Promise<Result>} work
 * @param {() => void} [onWait]
 * @returns {Promise<Result>}
 */
export async function withLock(name, work, onWait) {
  let release = await tryLock(name);
  if (!release) onWait?.();
  for (; !release; release = await tryLock(name)) await sleep(POLL_MS);
  return work().finally(release);
}
