import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export const projectRoot = join(import.meta.dirname, '..');

/** Grace period after a signal before the process group is killed, in milliseconds. */
const STOP_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;

/**
 * Shell script that waits until its input closes, then sends signal $1 to process $2 and, after 30 seconds, SIGKILL to
 * its group.
 */
const GUARD = `read _; kill -s "$1" "$2"
for _ in $(seq 300); do kill -0 -- "-$2" || exit; sleep 0.1; done; kill -s KILL -- "-$2"`;

/** Sends a signal to a process, or to a group if negative. Ignores processes that have exited. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/**
 * Starts a process in its own group, which a terminal's Ctrl-C doesn't reach. It gets `guardSignal` when this process
 * exits.
 */
export function spawnGuarded(
  command: string,
  args: readonly string[],
  options: SpawnOptions,
  guardSignal: NodeJS.Signals = 'SIGTERM',
): ChildProcess {
  const child = spawn(command, args, { cwd: projectRoot, detached: true, ...options });
  if (child.pid === undefined) return child;
  const guard = spawn('sh', ['-c', GUARD, 'guard', guardSignal.slice('SIG'.length), String(child.pid)], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  // The guard's input closes when this process exits.
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  child.on('exit', () => guard.kill('SIGKILL'));
  return child;
}

export type GuardedProcess = ReturnType<typeof startProcess>;

export interface ProcessOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  readonly name: string;
  /** Sent when this process exits. Default: SIGTERM. */
  readonly guardSignal?: NodeJS.Signals;
  readonly onLine?: (line: string) => void;
}

/** Starts a child process. @see spawnGuarded */
export function startProcess(
  command: string,
  args: readonly string[],
  { name, guardSignal, onLine, ...options }: ProcessOptions,
) {
  const child = spawnGuarded(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }, guardSignal);
  const { pid = 0 } = child;
  let output = '';
  const take = (line: string): void => {
    output = `${output}${line}\n`.slice(-KEPT_OUTPUT_CHARACTERS);
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', take);
  }
  child.on('error', (error) => take(error.message));
  const exited = new Promise<string>((resolve) => {
    child.on('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  const hasExited = (): boolean => pid === 0 || child.exitCode !== null || child.signalCode !== null;

  return {
    name,
    pid,
    /** Returns the last part of its output, including errors. */
    output: (): string => output,
    /** Resolves with, say, "exit code 1" once the process has exited and its output has been read. Never rejects. */
    exited,
    hasExited,
    /** Sends the signal and, after 30 seconds, SIGKILL to the group. */
    async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
      if (hasExited()) return;
      child.kill(signal);
      const timer = setTimeout(() => sendSignal(-pid, 'SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Polls `isTrue` every 50 ms. Returns false after `timeoutMs`. */
export async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    if (isTrue()) return true;
  }
  return isTrue();
}

/** Waits until a server prints `text`. @throws with its last output if it exits or times out */
export async function waitForOutput(server: GuardedProcess, text: string, timeoutMs: number): Promise<void> {
  const isReady = (): boolean => server.output().includes(text);
  await waitUntil(() => isReady() || server.hasExited(), timeoutMs);
  if (isReady()) return;
  await server.stop('SIGKILL');
  throw new Error(`${server.name} did not start (${await server.exited}):\n${server.output()}`);
}
