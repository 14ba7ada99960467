import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../ops/run-command.ts';
import { processEnvironment } from './process-environment.ts';
import type { Environment } from './site-process.ts';

const rootFolder = fileURLToPath(new URL('../../', import.meta.url));

export interface OpsResult {
  readonly exitCode: number | null;
  readonly output: string;
  /** Its standard error. */
  readonly errorOutput: string;
}

/** Creates a stream that stores its data in memory. */
function createRecorder() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, onWritten) => {
      chunks.push(chunk);
      onWritten();
    },
  });

  return { stream, read: () => Buffer.concat(chunks).toString() };
}

/** Runs a command of the operator's tool in this process, with exactly the given settings. */
export async function runOps(settings: Environment, ...args: string[]): Promise<OpsResult> {
  const stdout = createRecorder();
  const stderr = createRecorder();
  const environment = { PATH: processEnvironment.PATH, ...settings };
  const exitCode = await runCommand(args, { stdout: stdout.stream, stderr: stderr.stream }, environment);

  return { exitCode, output: stdout.read(), errorOutput: stderr.read() };
}

/** Runs a command in a separate process, as operators do, so that a busy test process doesn't delay it. */
export async function spawnOps(settings: Environment, ...args: string[]): Promise<OpsResult> {
  const child = spawn(process.execPath, ['ops/main.ts', ...args], {
    cwd: rootFolder,
    env: { ...processEnvironment, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, errorOutput, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);

  return { exitCode, output, errorOutput };
}
