import { registerHooks } from 'node:module';
import { writeSync } from 'node:fs';

/*
 * Loaded before a process (`node --import`): a line on standard error for each module that is loaded,
 * imported or required.
 */

const isFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EAGAIN';

const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Writes a line to standard error, and waits where the test is too busy to read: an error would end the process. */
function writeLine(line: string): void {
  try {
    writeSync(2, line);
  } catch (error) {
    if (!isFull(error)) throw error;
    Atomics.wait(pause, 0, 0, 10);
    writeLine(line);
  }
}

registerHooks({
  load: (url, context, nextLoad) => {
    writeLine(`loaded ${url}\n`);

    return nextLoad(url, context);
  },
});
