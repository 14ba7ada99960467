import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { identifyProcess } from './lock.mjs';

export const projectRoot = join(import.meta.dirname, '..');

const STOP_TIMEOUT_MS = 30_000;
/** What a command may take to end after a signal before its process group is killed. */
const GROUP_TIMEOUT_MS = 10_000;
/** What processes that a command left behind in its group may take to end. */
const LEFTOVERS_TIMEOUT_MS = 5_000;
/** What the output of a process that is gone may take to arrive: one that it left behind may hold the pipe. */
const OUTPUT_TIMEOUT_MS = 1_000;
const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export interface GuardedProcess {
  readonly name: string;
  /** Resolves, never rejects, with a text such as "exit code 1" once the process is gone. */
  readonly exited: Promise<string>;
  readonly hasExited: () => boolean;
  /** SIGTERM, and SIGKILL to its whole group after 30 seconds or when `hurry` is aborted. */
  stop(hurry: AbortSignal): Promise<void>;
}

let guard: ChildProcess | undefined;

/** Called before what it guards is spawned, so that this process can't be killed between the two. */
function ensureGuard(): ChildProcess {
  return (guard ??= startGuard());
}

function startGuard(): ChildProcess {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'guard.ts')], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}

/**
 * Makes sure that a process does not outlive this one, however this one ends (SIGKILL included):
 * it then gets `signal`, and its process group SIGKILL once it has ended or 30 seconds have passed. The
 * processes with SIGTERM end before those with SIGINT get their signal.
 */
export function guardProcess(pid: number, signal: 'SIGTERM' | 'SIGINT'): void {
  ensureGuard().stdin?.write(`${signal} ${identifyProcess(pid)}\n`);
}

/** Sends a signal to a process or, with a negative number, to a group; one that is gone is fine. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

function describeExit(code: number | null, signal: NodeJS.Signals | null): string {
  return code === null ? `signal ${signal ?? 'unknown'}` : `exit code ${code}`;
}

/**
 * Makes sure that a child does not outlive this process: see `guardProcess`.
 * @param child is `detached`: the leader of a process group
 */
export function guardChild(
  name: string,
  child: ChildProcess,
  guardSignal: 'SIGTERM' | 'SIGINT' = 'SIGTERM',
): GuardedProcess {
  const { pid } = child;
  if (pid !== undefined) guardProcess(pid, guardSignal);
  let hasExited = pid === undefined;
  const exited = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => {
      hasExited = true;
      resolve(describeExit(code, signal));
    });
  });
  return {
    name,
    exited,
    hasExited: () => hasExited,
    async stop(hurry) {
      if (hasExited || pid === undefined) return;
      sendSignal(pid, 'SIGTERM');
      const timeout = AbortSignal.any([hurry, AbortSignal.timeout(STOP_TIMEOUT_MS)]);
      await Promise.race([exited, untilAborted(timeout)]).catch(() => sendSignal(-pid, 'SIGKILL'));
      await exited;
    },
  };
}

/** Resolves, never rejects, once a process is gone and all that it wrote has arrived. */
export function untilClosed(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    child.on('error', () => resolve());
    child.on('exit', () => (timer = setTimeout(resolve, OUTPUT_TIMEOUT_MS)));
    child.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Starts Node with these arguments in the project root, in a process group of its own so that a
 * terminal's Ctrl-C does not reach it before we decide what stops when.
 * @param onLine gets each line of its output and its errors, the last ones before `exited` resolves
 */
export function startSiteProcess(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void,
): GuardedProcess {
  ensureGuard();
  const child = spawn(process.execPath, args, {
    cwd: projectRoot,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
  const closed = untilClosed(child);
  const guarded = guardChild(name, child);
  const exited = guarded.exited.then((exit) => closed.then(() => exit));
  return {
    ...guarded,
    exited,
    async stop(hurry) {
      await guarded.stop(hurry);
      await exited;
    },
  };
}

/** Never resolves; rejects with the signal's reason once it is aborted. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

/**
 * Calls `forward` with each signal that asks this process to end, until the child is gone; by default the child gets it
 * too.
 */
export function waitForExit(
  child: ChildProcess,
  forward: (signal: NodeJS.Signals) => void = (signal) => child.kill(signal),
): Promise<number> {
  return new Promise((resolve, reject) => {
    for (const signal of SIGNALS) process.on(signal, forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      for (const name of SIGNALS) process.off(name, forward);
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}

/**
 * Runs a command in the project root with our own input and output and forwards signals to it.
 * @returns its exit code, 128 + n for a signal
 * @throws when it cannot be started
 */
export function runCommand(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  const child = spawn(command, args, { cwd: projectRoot, env, stdio: 'inherit' });
  return waitForExit(child);
}

/**
 * Like `runCommand`, but in a process group of its own and without input. Whatever the command leaves
 * running in its group, also after a signal, is ended before this resolves: SIGTERM, after 5 seconds
 * SIGKILL. A command that does not end within 10 seconds of a signal is killed with its group.
 */
export async function runCommandGroup(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<number> {
  ensureGuard();
  const child = spawn(command, args, {
    cwd: projectRoot,
    env,
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const { pid } = child;
  const killGroup = (): void => {
    if (pid !== undefined) sendSignal(-pid, 'SIGKILL');
  };
  if (pid !== undefined) guardProcess(pid, 'SIGTERM');
  let timer: NodeJS.Timeout | undefined;
  const exitCode = await waitForExit(child, (signal) => {
    child.kill(signal);
    timer ??= setTimeout(killGroup, GROUP_TIMEOUT_MS);
  });
  clearTimeout(timer);
  if (pid === undefined) return exitCode;
  sendSignal(-pid, 'SIGTERM');
  if (!(await waitUntil(() => !isGroupAlive(pid), LEFTOVERS_TIMEOUT_MS))) killGroup();
  return exitCode;
}

function isGroupAlive(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch {
    return false;
  }
}

/** Calls `isTrue` every 50 ms until it returns true; returns false when `timeoutMs` pass before. */
export async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    if (isTrue()) return true;
  }
  return isTrue();
}
