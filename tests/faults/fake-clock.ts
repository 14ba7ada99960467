import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../support/site-process.ts';

/** A wall clock that is right until it jumps. The monotonic clock stays right. */
export interface FakeClock {
  /** The environment of processes that use it. */
  readonly settings: Environment;
  /** @param offset difference from the right time, such as `+25h`; processes see it within a second */
  readonly jump: (offset: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

/** The path of faketime's library, as its own program reports it. */
async function findLibrary(): Promise<string> {
  const { stdout } = await promisify(execFile)('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD']);

  return stdout.trim();
}

export async function createFakeClock(): Promise<FakeClock> {
  const folder = await mkdtemp(join(tmpdir(), 'test-clock-'));
  const file = join(folder, 'offset');
  const jump = (offset: string) => writeFile(file, `${offset}\n`);
  await jump('+0');

  return {
    settings: {
      LD_PRELOAD: await findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // Timers keep working, and only the time of day is wrong.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    jump,
    remove: () => rm(folder, { recursive: true }),
  };
}
