import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** The path of faketime's library, as its own program reports it. */
async function findLibrary(): Promise<string> {
  const { stdout } = await promisify(execFile)('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD']);

  return stdout.trim();
}

/** Creates a wall clock that is right until it jumps. The monotonic clock stays right. */
export async function createFakeClock() {
  const file = join(makeTemporaryFolder(), 'offset');
  /** @param offset difference from the right time, such as `+25h`; processes see it within a second */
  const jump = (offset: string) => writeFile(file, `${offset}\n`);
  await jump('+0');

  return {
    /** The environment of processes that use it. */
    settings: {
      LD_PRELOAD: await findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // Timers keep working, and only the time of day is wrong.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    jump,
  };
}
