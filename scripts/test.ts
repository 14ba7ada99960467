import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites, systemPath } from './prerequisites.ts';
import { projectRoot, runCommand } from './processes.ts';
import { printLines } from './progress.mjs';
import { collectOutput, runStep, type Outcome } from './run-step.ts';
import { runVitest } from './run-vitest.ts';

/** Tests that need the build and programs of the system; all others are unit tests, which need neither. */
const SERVER_TESTS = /^(?:\.\/)?tests\/(?:integration|browser|faults)(?:\/|$)/;
const FAULT_TESTS = /^(?:\.\/)?tests\/faults(?:\/|$)/;
const SCREENSHOTS = /^(?:\.\/)?tests\/browser\/screenshots/;

const isFaultTest = (argument: string): boolean => FAULT_TESTS.test(argument);
const isScreenshotTest = (argument: string): boolean => SCREENSHOTS.test(argument);

const program = (name: string): string => join(projectRoot, 'node_modules', '.bin', name);

/** What all tests but unit tests need of the system. */
const BASICS = [
  ...(['chromium', 'chromium-headless-shell', 'firefox-esr', 'webkit2gtk-driver', 'xvfb'] as const),
  ...(['redis-server', 'caddy', 'openssl', 'postgresql', 'prometheus', 'restic'] as const),
];

interface TestRequest {
  readonly isWatching: boolean;
  /** Files, and options of Vitest such as `-t NAME`; all tests without any. */
  readonly vitestArguments: readonly string[];
}

function readArguments(args: readonly string[]): TestRequest {
  return {
    isWatching: args.includes('--watch'),
    vitestArguments: args.filter((argument) => argument !== '--watch'),
  };
}

/** Whether all that is asked for are files of unit tests, by their paths. */
function asksForUnitTests({ vitestArguments }: TestRequest): boolean {
  const filters = vitestArguments.filter(
    (argument, index) => !argument.startsWith('-') && vitestArguments[index - 1] !== '-t',
  );
  const isUnitTest = (path: string): boolean =>
    path.endsWith('.test.ts') && !SERVER_TESTS.test(path) && existsSync(join(projectRoot, path));

  return filters.length > 0 && filters.every(isUnitTest);
}

/**
 * Lints only files that have changed. What a rule about types or cycles would say now of a file that has not
 * changed is missed: CI lints all.
 */
const LINT_CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'];

async function lint(env: NodeJS.ProcessEnv): Promise<Outcome> {
  const options = [...(env.CI ? [] : LINT_CACHE), ...(process.stdout.isTTY ? ['--color'] : [])];
  const eslint = await collectOutput(program('eslint'), ['.', ...options], env);
  // Files, exports and dependencies that nothing uses.
  const knip = await collectOutput(program('knip'), ['--no-progress'], env);

  return { exitCode: eslint.exitCode || knip.exitCode, output: eslint.output + knip.output };
}

function checkTypes(env: NodeJS.ProcessEnv): Promise<void> {
  return runStep('Type check', program('tsc'), ['--build', ...(process.stdout.isTTY ? ['--pretty'] : [])], env);
}

/**
 * Runs Vitest, and the linter on what the tests leave of the processor. What that finds is shown at the end: Vitest
 * draws on the terminal meanwhile.
 * @returns an exit code, 0 when both succeed
 */
async function lintAndTest(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  printLines('Lint, beside the tests …');
  const [{ exitCode, output }, testExitCode] = await Promise.all([lint(env), runVitest(args)]);
  if (output !== '') printLines(output);
  printLines(exitCode === 0 ? 'Lint: nothing found' : `Lint failed with exit code ${exitCode}.`);

  return testExitCode === 0 ? exitCode : testExitCode;
}

function buildVitestArguments({ isWatching, vitestArguments }: TestRequest): string[] {
  return [
    ...(isWatching ? ['watch', ...(vitestArguments.length > 0 ? [] : ['--changed'])] : ['run']),
    // The screenshots and the faults have runs of their own: test-pictures.ts, test-faults.ts.
    ...(vitestArguments.some(isScreenshotTest) ? [] : ['--project', '!pictures']),
    ...(vitestArguments.some(isFaultTest) ? [] : ['--project', '!faults*']),
    ...vitestArguments,
  ];
}

async function runTests(request: TestRequest): Promise<number> {
  const env = { ...process.env, PATH: systemPath };
  const isPart = request.isWatching || request.vitestArguments.length > 0;
  if (isPart) printLines('Without type check and lint, which `npm test` alone has.');
  if (!asksForUnitTests(request)) {
    await ensurePrerequisites([
      ...BASICS,
      ...(request.vitestArguments.some(isFaultTest) ? (['faketime', 'postfix'] as const) : []),
    ]);
    // Neither needs the other, and most machines have more than one core.
    await Promise.all([...(isPart ? [] : [checkTypes(env)]), ensureBuilt()]);
  }
  const args = buildVitestArguments(request);

  // Watching, Vitest reads keys from the terminal, which gives them to its own process group only.
  if (request.isWatching) return runVitest(args, {}, runCommand);

  return isPart ? runVitest(args) : lintAndTest(args, env);
}

try {
  process.exitCode = await runTests(readArguments(process.argv.slice(2)));
} catch (error) {
  printLines(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
