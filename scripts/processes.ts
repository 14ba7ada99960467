import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

export const projectRoot = join(import.meta.dirname, '..');

/** Grace period after a signal, before the process group is killed. */
const STOP_TIMEOUT_MS = 30_000;
const KEPT_OUTPUT_CHARACTERS = 4_000;

/** Waits for the end of its input, then sends signal $1 to process $2, and after 30 seconds SIGKILL to its group. */
const GUARD = `read _; kill -s "$1" "$2"
for _ in $(seq 300); do kill -0 -- "-$2" || exit; sleep 0.1; done; kill -s KILL -- "-$2"`;

/** Sends a signal to a process or, with a negative number, to a group; one that is gone is fine. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

/** Starts a process in its own group, out of reach of a terminal's Ctrl-C. It gets `guardSignal` when this one ends. */
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
  // The end of this process closes the guard's input.
  guard.unref();
  if (guard.stdin instanceof Socket) guard.stdin.unref();
  child.on('exit', () => guard.kill('SIGKILL'));
  return child;
}

export type GuardedProcess = ReturnType<typeof startProcess>;

export interface ProcessOptions extends Pick<SpawnOptions, 'cwd' | 'env' | 'uid' | 'gid'> {
  readonly name: string;
  /** Asks it to end when this process is gone; SIGTERM by default. */
  readonly guardSignal?: NodeJS.Signals;
  readonly input?: string;
  readonly onLine?: (line: string) => void;
}

/** Starts a process that runs beside this one; see `spawnGuarded`. */
export function startProcess(
  command: string,
  args: readonly string[],
  { name, guardSignal, input, onLine, ...options }: ProcessOptions,
) {
  const child = spawnGuarded(command, args, { ...options, stdio: 'pipe' }, guardSignal);
  const { pid = 0 } = child;
  let output = '';
  const take = (line: string): void => {
    output = `${output}${line}\n`.slice(-KEPT_OUTPUT_CHARACTERS);
    onLine?.(line);
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on('line', take);
  }
  // A process that ended early has closed it.
  child.stdin?.on('error', () => undefined).end(input);
  child.on('error', (error) => take(error.message));
  const exited = new Promise<string>((resolve) => {
    child.on('close', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });
  const hasExited = (): boolean => pid === 0 || child.exitCode !== null || child.signalCode !== null;

  return {
    name,
    pid,
    /** The end of its output, with its errors. */
    output: (): string => output,
    /** Resolves, never rejects, with a text such as "exit code 1" once the process is gone and its output is read. */
    exited,
    hasExited,
    /** Sends the signal, and SIGKILL to its group after 30 seconds or when `hurry` is aborted. */
    async stop(signal: NodeJS.Signals = 'SIGTERM', hurry?: AbortSignal): Promise<void> {
      if (hasExited()) return;
      child.kill(signal);
      const kill = (): void => sendSignal(-pid, 'SIGKILL');
      const timer = setTimeout(kill, STOP_TIMEOUT_MS);
      if (hurry?.aborted) kill();
      else hurry?.addEventListener('abort', kill, { once: true });
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Calls `isTrue` every 50 ms until it returns true; returns false when `timeoutMs` pass before. */
export async function waitUntil(isTrue: () => boolean, timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await sleep(50)) {
    if (isTrue()) return true;
  }
  return isTrue();
}

/** Waits until a server has written `text`; throws with its last messages when it ends or takes too long. */
export async function waitForOutput(server: GuardedProcess, text: string, timeoutMs: number): Promise<void> {
  const isReady = (): boolean => server.output().includes(text);
  await waitUntil(() => isReady() || server.hasExited(), timeoutMs);
  if (isReady()) return;
  await server.stop('SIGKILL');
  throw new Error(`${server.name} did not start (${await server.exited}):\n${server.output()}`);
}
