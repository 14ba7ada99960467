import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { identifyProcess, isRunning } from './lock.mjs';
import { waitUntil } from './processes.ts';

/**
 * Starts a command that itself starts two servers, one of which is frozen, as `npm run test:faults` does.
 * @returns the process that runs it, and who the servers are
 */
async function startCommandGroup() {
  const folder = await mkdtemp(join(tmpdir(), 'test-group-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const pids = join(folder, 'pids');
  const command = `sleep 600 & one=$!; sleep 600 & kill -STOP $!; echo $one $! > '${pids}.new'; mv '${pids}.new' '${pids}'; wait`;
  const module = JSON.stringify(fileURLToPath(import.meta.resolve('./processes.ts')));
  const program = `const { runCommandGroup } = await import(${module});
    process.exitCode = await runCommandGroup('sh', ['-c', ${JSON.stringify(command)}]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
  let text = '';
  for (; text === ''; await new Promise((resolve) => setTimeout(resolve, 50))) {
    text = await readFile(pids, 'utf8').catch(() => '');
  }

  return { child, servers: text.trim().split(' ').map((pid) => identifyProcess(Number(pid))) };
}

test('a signal ends a test run with all servers it started, also frozen ones', { timeout: 60_000 }, async () => {
  const { child, servers } = await startCommandGroup();
  expect(servers.map(isRunning)).toEqual([true, true]);
  const exit = once(child, 'exit');
  child.kill('SIGINT');
  const [exitCode] = (await exit) as [number];

  expect(exitCode).toBe(130);
  expect(await waitUntil(() => !servers.some(isRunning), 5_000)).toBe(true);
});

test('a killed test run leaves no server behind either', { timeout: 90_000 }, async () => {
  const { child, servers } = await startCommandGroup();
  child.kill('SIGKILL');

  expect(await waitUntil(() => !servers.some(isRunning), 60_000)).toBe(true);
});
