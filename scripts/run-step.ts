import { once } from 'node:events';
import { spawnGuarded } from './processes.ts';
import { showStep } from './progress.mjs';

/** Runs a command in the project root, with no input. Returns its exit code (1 for a signal) and output. */
export async function collectOutput(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly exitCode: number; readonly output: string }> {
  const child = spawnGuarded(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { exitCode: code ?? 1, output };
}

/** Runs a command as a visible step. Prints its output at the end, because steps may overlap. */
export async function runStep(
  name: string,
  command: string,
  args: readonly string[],
  env?: NodeJS.ProcessEnv,
): Promise<void> {
  await showStep(name, async () => {
    const { exitCode, output } = await collectOutput(command, args, env);
    if (output !== '') console.error(output.trimEnd());
    if (exitCode !== 0) throw new Error(`${name} failed with exit code ${exitCode}.`);
  });
}

/** Runs a command's main function. If it fails, prints the error without its stack and exits with 1. */
export async function runMain(work: () => Promise<number | void>): Promise<void> {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
