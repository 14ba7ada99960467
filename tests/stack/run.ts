import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { ensurePrerequisites } from '../../scripts/prerequisites.ts';
import { projectRoot } from '../../scripts/processes.ts';
import { checkBundle } from './bundle-checks.ts';
import type { Check } from './container-checks.ts';
import { findDocker, type Docker } from './find-docker.ts';
import { checkRelease } from './release-checks.ts';
import { checkRestarts } from './restart-checks.ts';
import { endCommands, runCommand } from './run-command.ts';
import { checkSite } from './site-checks.ts';
import { IMAGES, makeCleanEnvironment, prepareStack, type Stack } from './stack.ts';
import { checkUpgrade } from './upgrade-checks.ts';

/** Starts the whole stack as an operator would, checks it from outside and removes it. */

interface Plan {
  readonly name: string;
  /** The checks in order. Each builds on the earlier ones. */
  readonly listChecks: (stack: Stack) => readonly Check[];
}

/**
 * Plans by lane. Each plan has its own stack. Lanes run concurrently, because checks mostly wait. The plans in a lane
 * run one after another.
 */
const LANES: ReadonlyArray<readonly Plan[]> = [
  [{ name: 'upgrade', listChecks: checkUpgrade }],
  [{ name: 'site', listChecks: checkSite }],
  [
    { name: 'bundle', listChecks: checkBundle },
    { name: 'release', listChecks: checkRelease },
  ],
];

/**
 * This lane runs alone after the others, because its checks expect no request to fail. On a busy machine, PostgreSQL
 * may take too long, and web responds with 503.
 */
const LAST_LANE: readonly Plan[] = [{ name: 'restarts', listChecks: checkRestarts }];

const TIMEOUT_MS = 45 * 60_000;

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

/** Runs a check and counts it as passed, unless it throws. The caller counts failures. */
async function pass(title: string, run: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await run();
  count.passed += 1;
  log(`ok      ${title} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** Runs a plan's checks until one fails or a signal stops the run. */
async function runChecks(stack: Stack, { name, listChecks }: Plan, stop: AbortSignal): Promise<void> {
  for (const [title, run] of listChecks(stack)) {
    try {
      await pass(`${name}: ${title}`, run);
    } catch (error) {
      if (stop.aborted) return;
      fail(`${name}: ${title}`, describe(error));
      log(`The checks after this one were skipped. The services' logs:\n${await stack.readLogs()}`);

      return;
    }
    if (stop.aborted) return;
  }
}

/** Returns a signal that is aborted when this process receives SIGINT, SIGTERM or SIGHUP, or the run takes too long. */
function listenForStop(): AbortSignal {
  const stop = new AbortController();
  const abort = (reason: string) => {
    if (stop.signal.aborted) return;
    fail('runs to completion', reason);
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, abort);
  setTimeout(() => abort(`It took longer than ${TIMEOUT_MS / 60_000} minutes.`), TIMEOUT_MS).unref();

  return stop.signal;
}

async function testStack(stack: Stack, plan: Plan, stop: AbortSignal): Promise<void> {
  const stopped = new Promise((resolve) => stop.addEventListener('abort', resolve));

  await Promise.race([runChecks(stack, plan, stop), stopped]);
  if (stop.aborted) await endCommands();
  await pass(`${plan.name}: leaves nothing behind`, stack.remove);
}

/** Runs a lane's plans one after another. After a failure, the remaining plans are skipped. */
async function runLane(plans: readonly Plan[], prepare: () => Promise<Stack>, stop: AbortSignal): Promise<void> {
  for (const plan of plans) {
    try {
      if (count.failed === 0) await testStack(await prepare(), plan, stop);
    } catch (error) {
      fail(`${plan.name}: prepares and removes its stack`, describe(error));
    }
  }
}

async function tryBuild({ env }: Docker): Promise<void> {
  const context = { env, cwd: projectRoot };
  const name = `website-test-${randomBytes(4).toString('hex')}`;
  for (const target of IMAGES) {
    await runCommand(['docker', 'build', '--target', target, '--tag', `${name}:${target}`, '.'], context);
    await runCommand(['docker', 'image', 'rm', `${name}:${target}`], context);
  }
}

/** Builds this version's images once, so that later builds of a stack or the bundle find them in the cache. */
async function buildImages(docker: Docker): Promise<void> {
  const title = 'builds the images of this version';
  try {
    await pass(title, () => tryBuild(docker));
  } catch (error) {
    fail(title, describe(error));
  }
}

try {
  // The command takes no arguments. Refuse any immediately, because a run takes half an hour.
  parseArgs({ options: {} });
  const stop = listenForStop();
  await ensurePrerequisites(['chromium-headless-shell']);
  const docker = await findDocker(await makeCleanEnvironment());
  log(`Testing on ${docker.name}.`);
  const built = buildImages(docker);
  const run = (plans: readonly Plan[]) => runLane(plans, () => prepareStack(docker, built), stop);
  await Promise.all(LANES.map(run));
  await run(LAST_LANE);
} catch (error) {
  fail('finds its prerequisites', describe(error));
}
log(`It took ${Math.round(performance.now() / 1000)} s.`);
log(`${count.passed} passed, ${count.failed} failed`);
process.exit(count.failed === 0 ? 0 : 1);
