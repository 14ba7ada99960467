import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { findMemoryFolder } from './memory-folder.ts';
import { systemPath } from './prerequisites.ts';
import { projectRoot, sendSignal, spawnGuarded } from './processes.ts';

/** Grace period after a signal before Vitest and its child processes are killed. */
const STOP_TIMEOUT_MS = 10_000;
const program = join(projectRoot, 'node_modules', '.bin', 'vitest');

async function runUntilSignal(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number | NodeJS.Signals> {
  // Watch mode reads keys from the terminal, which requires our own process group.
  const isWatching = args[0] === 'watch';
  const stdin = isWatching ? 'inherit' : 'ignore';
  const child = spawnGuarded(program, args, { env, detached: !isWatching, stdio: [stdin, 'inherit', 'inherit'] });
  const killGroup = (): void => sendSignal(-(child.pid ?? 0), 'SIGKILL');
  let received: NodeJS.Signals | undefined;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!received && !isWatching) setTimeout(killGroup, STOP_TIMEOUT_MS).unref();
      received = signal;
      child.kill(signal);
    });
  }
  const [exitCode] = (await once(child, 'exit')) as [number | null];
  if (!isWatching) killGroup();
  return received ?? exitCode ?? 1;
}

/** Runs Vitest with a temporary folder and returns its exit code. A signal ends this process too. */
export async function runVitest(args: readonly string[], variables: NodeJS.ProcessEnv = {}): Promise<number> {
  const folder = await mkdtemp(join((await findMemoryFolder()) ?? tmpdir(), 'test-run-'));
  // If root runs the tests, servers such as PostgreSQL run as another user, which needs write access.
  await chmod(folder, 0o1777);
  const env = { ...process.env, NODE_ENV: 'test', PATH: systemPath, TMPDIR: folder, ...variables };
  const result = await runUntilSignal(args, env);
  // PostgreSQL may keep writing for a few seconds after a signal.
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 }).catch((error: unknown) =>
    console.error(`${folder} could not be removed: ${String(error)}`),
  );
  // Exit now, because the linter may still be running.
  if (typeof result === 'string') process.exit(128 + constants.signals[result]);

  return result;
}
