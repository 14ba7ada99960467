import { checkBundle } from './bundle-checks.ts';
import { checkStack } from './checks.ts';
import type { Check } from './container-checks.ts';
import { endCommands } from './run-command.ts';
import { prepareStack, type Stack } from './stack.ts';

/** Brings the whole stack up as an operator would, checks it from outside, and removes it. */

const TIMEOUT_MS = 30 * 60_000;

const count = { passed: 0, failed: 0 };

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function log(text: string): void {
  process.stdout.write(`${text}\n`);
}

function fail(title: string, reason: string): void {
  count.failed += 1;
  log(`FAILED  ${title}\n${reason}`);
}

/** @throws what the check throws; it then counts neither as passed nor as failed */
async function pass(title: string, run: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await run();
  count.passed += 1;
  log(`ok      ${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** Ends at the first failure, since every check builds on those before it, or on a signal. */
async function runChecks(
  stack: Stack,
  checks: readonly Check[],
  stop: AbortSignal,
): Promise<void> {
  for (const [title, run] of checks) {
    try {
      await pass(title, run);
    } catch (error) {
      if (stop.aborted) return;
      fail(title, describe(error));
      log(`The checks after it were not run. The services' logs:\n${await stack.readLogs()}`);

      return;
    }
    if (stop.aborted) return;
  }
}

/** Aborted by a signal to this process, or when the run takes too long. */
function listenForStop(): AbortSignal {
  const stop = new AbortController();
  const abort = (reason: string) => {
    if (stop.signal.aborted) return;
    fail('runs to its end', reason);
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, abort);
  setTimeout(() => abort(`It took longer than ${TIMEOUT_MS / 60_000} minutes.`), TIMEOUT_MS).unref();

  return stop.signal;
}

async function testStack(
  stack: Stack,
  listChecks: (stack: Stack) => readonly Check[],
  stop: AbortSignal,
): Promise<void> {
  const stopped = new Promise((resolve) => stop.addEventListener('abort', resolve));

  log(`Testing ${stack.project} on ${stack.engine}.`);
  await Promise.race([runChecks(stack, listChecks(stack), stop), stopped]);
  if (stop.aborted) await endCommands();
  await pass('leaves nothing behind', stack.remove);
}

try {
  const stop = listenForStop();
  // Each in a folder of its own; what follows a failure would only fail too.
  for (const listChecks of [checkStack, checkBundle]) {
    if (count.failed === 0) await testStack(await prepareStack(), listChecks, stop);
  }
} catch (error) {
  fail('starts and removes the test’s stack', describe(error));
}
log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 ? 0 : 1);
