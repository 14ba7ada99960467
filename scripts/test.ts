import { join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { ensurePrerequisites, runStep, systemPath } from './prerequisites.ts';
import { projectRoot, runCommandGroup } from './processes.ts';

const program = (name: string): string => join(projectRoot, 'node_modules', '.bin', name);

async function checkSources(): Promise<void> {
  await runStep('The type check', program('tsc'), ['--build']);
  await runStep('Lint', program('eslint'), ['.']);
}

async function runTests(vitestArguments: readonly string[]): Promise<number> {
  await ensurePrerequisites(['chromium-headless-shell', 'redis-server', 'caddy', 'openssl', 'postgresql', 'prometheus']);
  // Neither needs the other, and most machines have more than one core.
  await Promise.all([checkSources(), ensureBuilt()]);
  const env = { ...process.env, NODE_ENV: 'test', PATH: systemPath };
  // The faults have a run of their own: test-faults.ts.
  const args = ['run', '--project', '!faults', ...vitestArguments];

  return runCommandGroup(program('vitest'), args, env);
}

try {
  process.exitCode = await runTests(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
