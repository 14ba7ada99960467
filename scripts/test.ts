import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { ensureBuilt } from './build.ts';
import { withLock } from './lock.mjs';
import { projectRoot, runCommand } from './processes.ts';

// Debian's packages, named like the programs they bring.
const PREREQUISITES = ['chromium', 'redis-server'];

const path = [process.env.PATH, '/usr/bin', '/usr/sbin'].filter(Boolean).join(delimiter);

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function hasProgram(name: string): boolean {
  return path.split(delimiter).some((folder) => isExecutable(join(folder, name)));
}

function listMissing(): string[] {
  return PREREQUISITES.filter((name) => !hasProgram(name));
}

async function runStep(name: string, command: string, args: readonly string[]): Promise<void> {
  const exitCode = await runCommand(command, args, { ...process.env, PATH: path });
  if (exitCode !== 0) throw new Error(`${name} failed with exit code ${exitCode}.`);
}

async function installPrerequisites(): Promise<void> {
  const missing = listMissing();
  if (missing.length === 0) return;
  if (process.getuid?.() !== 0 || !hasProgram('apt-get')) {
    throw new Error(`Missing, and needed by the tests: ${missing.join(', ')}. Install and repeat.`);
  }
  console.log(`Installing ${missing.join(', ')} …`);
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300'];
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  await runStep('apt-get update', 'apt-get', [...options, 'update']);
  const install = [...options, 'install', '--yes', '--no-install-recommends', ...missing];
  await runStep('apt-get install', 'apt-get', install);
  const stillMissing = listMissing();
  if (stillMissing.length > 0) throw new Error(`Still missing: ${stillMissing.join(', ')}.`);
}

async function runTests(vitestArguments: readonly string[]): Promise<number> {
  const program = (name: string): string => join(projectRoot, 'node_modules', '.bin', name);
  await withLock(join(projectRoot, '.data', 'locks', 'prerequisites'), installPrerequisites);
  await runStep('The type check', program('tsc'), ['--build']);
  await runStep('Lint', program('eslint'), ['.']);
  await ensureBuilt();
  const env = { ...process.env, NODE_ENV: 'test', PATH: path };
  return runCommand(program('vitest'), ['run', ...vitestArguments], env);
}

try {
  process.exitCode = await runTests(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
