import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites, systemPath } from './prerequisites.ts';
import { projectRoot } from './processes.ts';
import { collectOutput, runMain, runStep } from './run-step.ts';
import { runVitest } from './run-vitest.ts';

/** Tests that need the build and system programs. Unit tests need neither. */
const SERVER_TESTS = /^(?:\.\/)?tests\/(?:integration|browser|faults)(?:\/|$)/;
const FAULT_TESTS = /^(?:\.\/)?tests\/faults(?:\/|$)/;
const SCREENSHOTS = /^(?:\.\/)?tests\/browser\/screenshots/;

const BASICS = [
  ...(['chromium', 'chromium-headless-shell', 'firefox-esr', 'webkit2gtk-driver', 'xvfb'] as const),
  ...(['redis-server', 'caddy', 'openssl'] as const),
];

const FAULT_TEST_TOOLS = ['faketime', 'postgresql', 'prometheus', 'restic'] as const;

/** Locally, only changed files are linted. CI lints everything, because some rules look at types and import cycles. */
const LINT_CACHE = ['--cache', '--cache-strategy', 'content', '--cache-location', 'node_modules/.cache/eslint/'];

const env: NodeJS.ProcessEnv = { ...process.env, PATH: systemPath };
const isTerminal = process.stdout.isTTY;
const program = (name: string): string => join(projectRoot, 'node_modules', '.bin', name);

function asksForUnitTests(args: readonly string[]): boolean {
  const filters = args.filter((argument, index) => !argument.startsWith('-') && args[index - 1] !== '-t');
  const isUnitTest = (path: string): boolean =>
    path.endsWith('.test.ts') && !SERVER_TESTS.test(path) && existsSync(join(projectRoot, path));

  return filters.length > 0 && filters.every(isUnitTest);
}

const checkTypes = (): Promise<void> =>
  runStep('Type check', program('tsc'), ['--build', ...(isTerminal ? ['--pretty'] : [])], env);

async function lint() {
  const options = [...(env.CI ? [] : LINT_CACHE), ...(isTerminal ? ['--color'] : [])];
  const eslint = await collectOutput(program('eslint'), ['.', ...options], env);
  const knip = await collectOutput(program('knip'), ['--no-progress'], env);

  return { exitCode: eslint.exitCode || knip.exitCode, output: eslint.output + knip.output };
}

/** Runs Vitest and the linter in parallel and prints lint results at the end. Returns an exit code. */
async function lintAndTest(args: readonly string[]): Promise<number> {
  console.error('Lint, in parallel with the tests …');
  const [{ exitCode, output }, testExitCode] = await Promise.all([lint(), runVitest(args)]);
  console.error(output + (exitCode === 0 ? 'Lint: no problems found' : `Lint failed with exit code ${exitCode}.`));

  return testExitCode || exitCode;
}

/** @param args files and Vitest options such as `-t NAME`; empty for all tests */
async function runTests(args: readonly string[], isWatching: boolean): Promise<number> {
  const isPart = isWatching || args.length > 0;
  const hasFaults = args.some((argument) => FAULT_TESTS.test(argument));
  if (isPart) console.error('Skipping type check and lint, which only a complete `npm test` runs.');
  if (!asksForUnitTests(args)) {
    await ensurePrerequisites([...BASICS, ...(hasFaults ? FAULT_TEST_TOOLS : [])]);
    await Promise.all([...(isPart ? [] : [checkTypes()]), ensureBuilt()]);
  }
  const vitestArguments = [
    ...(isWatching ? ['watch', ...(args.length > 0 ? [] : ['--changed'])] : ['run']),
    // Screenshots and faults have their own commands: test-pictures.ts, test-faults.ts.
    ...(args.some((argument) => SCREENSHOTS.test(argument)) ? [] : ['--project', '!pictures']),
    ...(hasFaults ? [] : ['--project', '!faults']),
    ...args,
  ];

  return isPart ? runVitest(vitestArguments) : lintAndTest(vitestArguments);
}

const args = process.argv.slice(2);
await runMain(() => runTests(args.filter((argument) => argument !== '--watch'), args.includes('--watch')));
