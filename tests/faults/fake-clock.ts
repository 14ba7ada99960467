import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

/** Returns the path of the faketime library, as reported by its program. */
async function findLibrary(): Promise<string> {
  const { stdout } = await promisify(execFile)('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD']);

  return stdout.trim();
}

/** Creates a wall clock that is right until it jumps. The monotonic clock is always right. */
export async function createFakeClock() {
  const file = join(makeTemporaryFolder(), 'offset');
  /** @param offset difference from the real time, such as `+25h`; processes notice it within a second */
  const jump = (offset: string) => writeFile(file, `${offset}\n`);
  await jump('+0');

  return {
    /** Environment variables for processes that use the clock. */
    settings: {
      LD_PRELOAD: await findLibrary(),
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      // Only the time of day is wrong, so that timers still work.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    jump,
  };
}
