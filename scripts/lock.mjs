import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

// Lamport's bakery algorithm with one file per contender. Only its owner removes a file, or anyone after the
// owner's death, so that taking over from a dead process never releases a live one's lock. Not a library:
// setup.mjs takes a lock before any package is installed.
const CHOOSING = 'choosing';
const POLL_MS = 100;

/** @param {number} pid */
function isSignalable(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @param {number} pid */
function readProcessStatus(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ');
    return { state: fields?.[0], startedAt: fields?.[19] };
  } catch {
    return undefined;
  }
}

/**
 * Names a process in a way that tells it from a later one with the same number (where the system
 * has /proc). The result is for `isRunning`.
 * @param {number} pid
 */
export function identifyProcess(pid) {
  return `${pid}-${readProcessStatus(pid)?.startedAt ?? ''}`;
}

/**
 * Tells whether the process named by `identifyProcess` still runs; a zombie does not.
 * @param {string} identity
 */
export function isRunning(identity) {
  const [number, startedAt] = identity.split('-');
  const pid = Number(number);
  const status = readProcessStatus(pid);
  if (!status) return isSignalable(pid);
  return status.state !== 'Z' && (startedAt === '' || status.startedAt === startedAt);
}

/** @param {string} folder */
async function listLiveEntries(folder) {
  const entries = [];
  for (const name of await readdir(folder)) {
    const [ticket = '', identity = ''] = name.split('.');
    if (isRunning(identity)) entries.push({ name, ticket });
    else await rm(join(folder, name), { force: true });
  }
  return entries;
}

/** @param {string} folder */
async function takeTicket(folder) {
  await mkdir(folder, { recursive: true });
  const owner = `${identifyProcess(process.pid)}.${randomBytes(4).toString('hex')}`;
  const choosing = join(folder, `${CHOOSING}.${owner}`);
  await writeFile(choosing, '');
  const taken = (await listLiveEntries(folder)).filter((entry) => entry.ticket !== CHOOSING);
  const ticket = Math.max(0, ...taken.map((entry) => Number(entry.ticket))) + 1;
  const name = `${String(ticket).padStart(9, '0')}.${owner}`;
  await writeFile(join(folder, name), '');
  await rm(choosing, { force: true });
  return name;
}

/**
 * @param {string} folder
 * @param {string} name
 */
async function checkTurn(folder, name) {
  const first = await listLiveEntries(folder);
  if (first.some((entry) => entry.ticket === CHOOSING)) return 'undecided';
  // A second listing, because the first may have missed a ticket written while it was read.
  const second = await listLiveEntries(folder);
  const isBehind = second.some((entry) => entry.ticket !== CHOOSING && entry.name < name);
  return isBehind ? 'behind' : 'first';
}

/**
 * Takes the lock that lives in `folder` when no live process holds it. Returns the function that
 * releases it, or undefined when it is held. The death of the holder releases it too.
 * @param {string} folder
 * @returns {Promise<(() => Promise<void>) | undefined>}
 */
export async function tryLock(folder) {
  const name = await takeTicket(folder);
  const release = () => rm(join(folder, name), { force: true });
  for (;;) {
    const turn = await checkTurn(folder, name);
    if (turn === 'first') return release;
    if (turn === 'behind') {
      await release();
      return undefined;
    }
    await sleep(POLL_MS);
  }
}

/**
 * Runs `work` while holding the lock in `folder`; calls `onWait` once when it has to wait.
 * @template Result
 * @param {string} folder
 * @param {() => Promise<Result>} work
 * @param {() => void} [onWait]
 * @param {AbortSignal} [signal] ends the wait
 * @returns {Promise<Result>}
 * @throws what `work` throws; an AbortError when the wait is ended
 */
export async function withLock(folder, work, onWait, signal) {
  const name = await takeTicket(folder);
  try {
    for (let hasWaited = false; (await checkTurn(folder, name)) !== 'first'; ) {
      if (!hasWaited) onWait?.();
      hasWaited = true;
      await sleep(POLL_MS, undefined, { signal });
    }
    return await work();
  } finally {
    await rm(join(folder, name), { force: true });
  }
}
