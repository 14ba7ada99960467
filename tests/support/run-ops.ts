import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { processEnvironment } from './process-environment.ts';
import type { Environment } from './site-process.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

export interface OpsResult {
  readonly exitCode: number | null;
  readonly output: string;
  /** What it printed to standard error. */
  readonly errorOutput: string;
}

/** Runs the operator's tool until it exits, with exactly the given settings. */
export async function runOps(settings: Environment, ...args: string[]): Promise<OpsResult> {
  const child = spawn(process.execPath, ['ops/main.ts', ...args], {
    cwd: rootFolder,
    env: { ...processEnvironment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: Buffer[] = [];
  const errorOutput: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errorOutput.push(chunk));
  const [exitCode] = (await once(child, 'close')) as [number | null];

  return {
    exitCode,
    output: Buffer.concat(output).toString(),
    errorOutput: Buffer.concat(errorOutput).toString(),
  };
}
