import { spawn } from 'node:child_process';
import { projectRoot, untilClosed, waitForExit } from './processes.ts';
import { printLines, showStep } from './progress.mjs';

/** How a command ended. */
export interface Outcome {
  /** 128 + n for a signal. */
  readonly exitCode: number;
  /** What it wrote, its errors too. */
  readonly output: string;
}

/**
 * Runs a command in the project root, without input, and forwards signals to it.
 * @throws when it cannot be started
 */
export async function collectOutput(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Outcome> {
  const child = spawn(command, args, { cwd: projectRoot, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const source of [child.stdout, child.stderr]) {
    source.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const [exitCode] = await Promise.all([waitForExit(child), untilClosed(child)]);
  return { exitCode, output };
}

/**
 * Runs a command in the project root as a step that the user waits for (`showStep`), without input. What it
 * writes is shown once it has ended: steps may overlap, and what succeeds without a word shows nothing.
 * @throws naming the step when it fails
 */
export async function runStep(
  name: string,
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<void> {
  await showStep(name, async () => {
    const { exitCode, output } = await collectOutput(command, args, env);
    if (output !== '') printLines(output);
    if (exitCode !== 0) throw new Error(`${name} failed with exit code ${exitCode}.`);
  });
}
