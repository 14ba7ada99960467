import { writeSync } from 'node:fs';
import { getErrorCode } from './error-code.ts';

/** Bytes that may wait for a reader; what comes after them is dropped. */
const MAX_WAITING = 1_000_000;

/** Milliseconds between two tries while lines wait. */
const RETRY_PAUSE = 100;

/** Milliseconds that an ending process gives a slow reader. */
const LAST_PATIENCE = 1_000;

/** Blocks the process for so many milliseconds: all an ending one can do. */
function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Where a logger writes. */
export interface LogDestination {
  readonly write: (line: string) => void;
}

/**
 * Takes log lines and never makes the process wait: each is written at once, and where that can't
 * be (a pipe that nobody reads, a full disk) it waits within a bound and the rest is dropped. A process that
 * ends writes what waits, unless that takes longer than a second.
 * @param fd 1 for standard output, 2 for standard error
 * @param tellDropped called with the number of lost lines once lines are taken again
 */
export function createLogDestination(
  fd: number,
  tellDropped: (count: number) => void,
): LogDestination {
  // Asked for, Node's own stream makes a pipe refuse when it is full; else it would block.
  void (fd === 2 ? process.stderr : process.stdout);
  const waiting: Buffer[] = [];
  let waitingBytes = 0;
  let dropped = 0;
  let timer: NodeJS.Timeout | undefined;

  /** Writes what can be written; the code of the error that ended it. */
  const drain = (): string | undefined => {
    try {
      for (let line = waiting[0]; line; line = waiting[0]) {
        const written = writeSync(fd, line);
        waitingBytes -= written;
        if (written < line.length) waiting[0] = line.subarray(written);
        else waiting.shift();
      }

      return undefined;
    } catch (error) {
      return getErrorCode(error) ?? 'unknown';
    }
  };
  const drainAtEnd = () => {
    const end = performance.now() + LAST_PATIENCE;
    while (drain() === 'EAGAIN' && performance.now() < end) pause(10);
  };
  const drainOrWait = () => {
    if (drain() !== undefined) {
      if (!timer) process.once('exit', drainAtEnd);
      timer ??= setInterval(drainOrWait, RETRY_PAUSE).unref();

      return;
    }
    if (!timer) return;
    clearInterval(timer);
    timer = undefined;
    process.off('exit', drainAtEnd);
    const lost = dropped;
    dropped = 0;
    if (lost > 0) tellDropped(lost);
  };

  return {
    write: (line) => {
      if (waitingBytes > MAX_WAITING) {
        dropped += 1;

        return;
      }
      const bytes = Buffer.from(line);
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (!timer) drainOrWait();
    },
  };
}
