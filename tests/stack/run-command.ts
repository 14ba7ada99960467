import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { sendSignal } from '../../scripts/processes.ts';

export interface CommandResult {
  readonly exitCode: number | null;
  readonly output: string;
  /** What it wrote to standard error. */
  readonly errorOutput: string;
}

const running = new Set<ChildProcess>();

/** A program's environment and working directory. */
export interface CommandContext {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
}

/** Runs a program and returns its result, whatever the exit code. */
export function tryCommand(
  [program = '', ...args]: readonly string[],
  context: CommandContext,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    // In its own process group, the program doesn't receive Ctrl-C, so this process can clean up first.
    const child = spawn(program, args, {
      ...context,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    const errorOutput: Buffer[] = [];
    running.add(child);
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => errorOutput.push(chunk));
    child.on('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.on('close', (exitCode) => {
      running.delete(child);
      resolve({
        exitCode,
        output: Buffer.concat(output).toString(),
        errorOutput: Buffer.concat(errorOutput).toString(),
      });
    });
  });
}

/**
 * Runs a program and returns what it wrote to standard output.
 * @throws an error with its complete output if it fails
 */
export async function runCommand(
  command: readonly string[],
  context: CommandContext,
): Promise<string> {
  const { exitCode, output, errorOutput } = await tryCommand(command, context);
  if (exitCode !== 0) {
    throw new Error(`${command.join(' ')}\nended with ${exitCode}:\n${output}${errorOutput}`);
  }

  return output;
}

/** Ends the running programs and their children, and waits for them. */
export async function endCommands(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      const end = once(child, 'close');
      if (child.pid !== undefined) sendSignal(-child.pid, 'SIGTERM');
      await end;
    }),
  );
}
